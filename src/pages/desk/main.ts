import { makeDesk } from "./Desk.ts"
import { makeForgotPassword } from "./ForgotPassword.ts"
import { makeLogin } from "./Login.ts"
import { endSession, restoreSession, type Session } from "./Session.ts"

const showDesk = (session: Session) =>
  document.body.replaceChildren(
    makeDesk(session, (notice) => {
      endSession()
      showLogin(notice)
    })
  )

const enter = ({ focus, view }: { readonly view: HTMLElement; readonly focus: () => void }) => {
  document.body.replaceChildren(view)
  focus()
}

const showLogin = (notice?: string): void =>
  enter(makeLogin(notice, showDesk, (hostname) => enter(makeForgotPassword(hostname, () => showLogin()))))

const session = restoreSession()
if (session === undefined) showLogin()
else showDesk(session)
