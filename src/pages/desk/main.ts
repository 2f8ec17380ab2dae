import { makeDesk } from "./Desk.ts"
import { makeForgotPassword } from "./ForgotPassword.ts"
import { makeLogin } from "./Login.ts"
import { endSession, keepSession, restoreSession, type Session } from "./Session.ts"
import { sessionElsewhere } from "./Tabs.ts"

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
  return view
}

const showLogin = (notice?: string): HTMLElement =>
  enter(makeLogin(notice, showDesk, (hostname) => enter(makeForgotPassword(hostname, () => showLogin()))))

const isUntouched = (form: HTMLElement) =>
  document.body.contains(form) &&
  [...form.querySelectorAll("input")].every(({ defaultValue, value }) => value === defaultValue)

const after = (milliseconds: number) => new Promise<undefined>((resolve) => setTimeout(resolve, milliseconds))

/** Other tabs answer within milliseconds, unless they are busy: then the login is shown meanwhile. */
const begin = async () => {
  const restored = restoreSession()
  if (restored !== undefined) return showDesk(restored)
  const shared = sessionElsewhere()
  const known = await Promise.race([shared, after(500)])
  const login = known === undefined ? showLogin() : undefined
  const session = known ?? (await shared)
  if (session === undefined || (login !== undefined && !isUntouched(login))) return
  keepSession(session)
  showDesk(session)
}

void begin()
