import { makeDesk } from "./Desk.ts"
import { makeLogin } from "./Login.ts"
import { endSession, restoreSession, type Session } from "./Session.ts"

const showDesk = (session: Session) =>
  document.body.replaceChildren(
    makeDesk(session, (notice) => {
      endSession()
      showLogin(notice)
    })
  )

const showLogin = (notice?: string) => {
  const { focus, view } = makeLogin(notice, showDesk)
  document.body.replaceChildren(view)
  focus()
}

const session = restoreSession()
if (session === undefined) showLogin()
else showDesk(session)
