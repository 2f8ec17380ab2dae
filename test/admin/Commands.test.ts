import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { Coloured } from "../../src/admin/PlainConsole.ts"
import { Outbox } from "../../src/platform/systemMail/Outbox.ts"
import { sendJson, testApp } from "../support/TestApp.ts"
import { admin, adminWith } from "./RunAdmin.ts"

const loginStatus = (username: string, password: string, hostname: string) =>
  Effect.map(sendJson("POST", "/api/Auth/login", { body: { username, password, hostname } }), ({ status }) => status)

layer(testApp(), { excludeTestServices: true })("The admin command line", (it) => {
  it.effect("creates a customer whose first Admin can log in with its hostname", () =>
    Effect.gen(function* () {
      const created = yield* admin(
        ...["customer", "create", "Hooli", "--hostname", "Hooli.example", "--hostname", "help.hooli.example"],
        ...["--feature", "SchedulesOfCondition"]
      )
      expect(created).toMatchObject({ succeeded: true, errors: [] })
      expect(created.output).toMatch(
        /^Created customer \d+ "Hooli", with hostname hooli.example, hostname help.hooli.example, feature SchedulesOfCondition\.$/
      )
      const words = ["admin", "create", "hooli", "gavin", "--name", "Gavin B.", "--email", "gavin@hooli.example"]
      const first = yield* adminWith({ password: "Nucleus-2000" }, ...words)
      expect(first.output).toMatch(/^Created Admin \d+ "gavin" of "Hooli"\.$/)
      expect(yield* loginStatus("gavin", "Nucleus-2000", "hooli.example")).toBe(200)
      expect(yield* loginStatus("gavin", "Nucleus-2000", "acme.example")).toBe(401)
      expect((yield* admin("customer", "list")).output).toMatch(
        /Hooli {2}hostnames: help.hooli.example, hooli.example {2}features: SchedulesOfCondition {2}representatives: 1/
      )
    })
  )

  it.effect("adds and removes hostnames and features", () =>
    Effect.gen(function* () {
      yield* admin("hostname", "add", "Globex Support", "second.globex.example")
      expect(yield* loginStatus("globex-admin", "Demo-Pass-1", "second.globex.example")).toBe(200)
      expect((yield* admin("hostname", "remove", "Globex Support", "Second.Globex.example")).output).toBe(
        'Representatives of "Globex Support" can no longer log in with the hostname second.globex.example.'
      )
      expect(yield* loginStatus("globex-admin", "Demo-Pass-1", "second.globex.example")).toBe(401)
      const features = Effect.map(
        admin("customer", "list"),
        ({ output }) => /Globex .*features: (\w+)/.exec(output)?.[1]
      )
      expect((yield* admin("feature", "add", "Globex Support", "SchedulesOfCondition")).output).toBe(
        '"Globex Support" now has the feature SchedulesOfCondition.'
      )
      expect(yield* features).toBe("SchedulesOfCondition")
      expect((yield* admin("feature", "remove", "globex support", "SchedulesOfCondition")).output).toBe(
        '"Globex Support" no longer has the feature SchedulesOfCondition.'
      )
      expect(yield* features).toBe("none")
    })
  )

  it.effect("adds shared models", () =>
    Effect.gen(function* () {
      const words = ["model", "add", "large-eye", "--slots", "emailText, EmailVision", "--images", "--default"]
      expect((yield* admin(...words)).output).toMatch(
        /^Added shared model \d+ "large-eye" for EmailText, EmailVision\.$/
      )
      expect((yield* admin("model", "list")).output).toMatch(
        /\d+ {2}large-eye {2}shared {2}Vision, default, active {2}slots: EmailText, EmailVision/
      )
    })
  )

  it.effect("shows the mail that is kept in the outbox", () =>
    Effect.gen(function* () {
      const outbox = yield* Outbox
      const customerID = yield* Schema.decode(CustomerID)(1)
      const id = yield* outbox.keep(customerID, { to: "a@acme.example", subject: "Reset", text: "the secret link" })
      const list = yield* admin("outbox", "list")
      expect(list.output).toMatch(new RegExp(`^${id} {2}\\S+Z {2}a@acme.example {2}Reset$`, "m"))
      expect(list.output).not.toContain("the secret link")
      expect((yield* admin("outbox", "show", String(id))).output).toMatch(
        /^To: a@acme.example\nSubject: Reset\nDate: \S+Z\n\nthe secret link$/
      )
      const sql = yield* SqlClient.SqlClient
      yield* sql`update outbox_mail set content = 'other.key.x' where customer_id = 1 and outbox_mail_id = ${id}`
      expect((yield* admin("outbox", "list")).output).toMatch(
        new RegExp(`^${id} {2}\\S+Z {2}a@acme.example {2}\\(unreadable\\)$`, "m")
      )
      expect((yield* admin("outbox", "show", String(id))).errors.at(-1)).toMatch(/SECRETS_KEY/)
    })
  )

  const refusals: ReadonlyArray<readonly [words: ReadonlyArray<string>, line: RegExp]> = [
    [["customer", "create", "acme RENTALS"], /^A customer named "acme RENTALS" already exists\.$/],
    [["customer", "create", " "], /^The name of a customer must be 1 to 255 characters long\.$/],
    [["customer", "create", "New", "--hostname", "a b"], /^"a b" is not a hostname\.$/],
    [["customer", "create", "New", "--feature", "Magic"], /SchedulesOfCondition/],
    [["customer", "create"], /name/],
    [["hostname", "add", "Nobody", "x.example"], /^There is no customer named "Nobody"\./],
    [["hostname", "add", "Acme Rentals", "ACME.example"], /^The customer already has the hostname acme.example\.$/],
    [["hostname", "remove", "Acme Rentals", "x.example"], /^The customer does not have the hostname x.example\.$/],
    [["feature", "add", "Acme Rentals", "SchedulesOfCondition"], /^The customer already has the feature/],
    [["feature", "remove", "Globex Support", "SchedulesOfCondition"], /^The customer does not have the feature/],
    [["feature", "add", "Acme Rentals", "Magic"], /SchedulesOfCondition/],
    [["admin", "create", "Nobody", "new-admin"], /^There is no customer named "Nobody"\./],
    [["admin", "create", "Acme Rentals", "ACME-agent"], /^The username "ACME-agent" is already taken\.$/],
    [["admin", "create", "Acme Rentals", "a b"], /^The username must be 1 to 100 characters long, without spaces/],
    [["admin", "create", "Acme Rentals", "new", "--email", "x"], /^The email must be an e-mail address\.$/],
    [["model", "add", "gpt-4.1", "--slots", "Topic"], /^A shared model named "gpt-4.1" already exists\.$/],
    [["model", "add", "new", "--slots", "Topic,Fax"], /^"Fax" is not a slot\. The slots are: Topic, Webchat, /],
    [["model", "add", "new", "--slots", ","], /^--slots needs at least one of: Topic, /],
    [["model", "add", "new"], /--slots/],
    [["outbox", "show", "999999"], /^There is no mail 999999 in the outbox\./],
    [["outbox", "show", "99999999999"], /^There is no mail 99999999999 in the outbox\./],
    [["outbox", "show", "first"], /integer/],
    [["mail", "show", "999999"], /^No mail 999999 is set aside\./],
    [["mail", "show", "first"], /integer/],
    [["mail", "discard", "99999999999"], /^No mail 99999999999 is set aside\./],
    [["mail", "discard", "--yes"], /<id>/],
    [["customer", "create", "New", "--hostname"], /^--hostname needs a value\.$/],
    [
      ["customer", "create", "New", "--feature", "SchedulesOfCondition", "--hostname", " "],
      /^--hostname needs a value/
    ],
    [["nonsense"], /customer/]
  ]
  for (const [words, line] of refusals) {
    it.effect(`refuses in one line: ${words.join(" ")}`, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const state = sql`
          /* all customers: nothing may change anywhere */
          select (select count(*) from customer) as customers, (select count(*) from login_hostname) as hostnames,
            (select count(*) from customer_feature) as features, (select count(*) from customer_rep) as reps,
            (select count(*) from model) as models`
        const before = yield* state
        const refused = yield* adminWith({ password: "Good-Pass-1" }, ...words)
        expect(refused).toMatchObject({ succeeded: false, output: "", errors: [expect.stringMatching(line)] })
        expect(refused.errors.join("")).not.toContain("\n")
        expect(yield* state).toEqual(before)
      })
    )
  }

  it.effect("refuses a weak password without repeating it", () =>
    Effect.gen(function* () {
      const refused = yield* adminWith({ password: "weakweak" }, "admin", "create", "Acme Rentals", "new-admin")
      expect(refused.succeeded).toBe(false)
      expect(refused.errors).toEqual([expect.stringMatching(/^The password must be at least 8 characters long/)])
      expect(refused.errors.join("")).not.toContain("weakweak")
    })
  )

  it.effect("explains every command without a database", () =>
    Effect.gen(function* () {
      const groups = [
        "customer",
        "hostname",
        "feature",
        "admin",
        "model",
        "outbox",
        "mail",
        "rotate-secrets",
        "migrate"
      ]
      for (const words of [[], ...groups.map((group) => [group]), ["customer", "create"], ["mail", "show"]]) {
        const help = yield* adminWith({ settings: { SECRETS_KEY: "" } }, ...words, "--help")
        expect(help).toMatchObject({ succeeded: true, errors: [], output: expect.stringContaining("USAGE") })
      }
    })
  )

  it.effect("writes escape codes to a terminal only", () =>
    Effect.gen(function* () {
      const escape = "\u001B["
      const atTerminal = Layer.succeed(Coloured, { output: true, errors: true })
      const help = admin("customer", "--help")
      expect((yield* help).output).not.toContain(escape)
      expect((yield* Effect.provide(help, atTerminal)).output).toContain(escape)
      expect((yield* help).output).toMatch(/^Casework admin\n.*\S$/s)
    })
  )

  it.effect("strips control characters from outbox mail before printing it to a terminal", () =>
    Effect.gen(function* () {
      const customerID = yield* Schema.decode(CustomerID)(1)
      const subject = "\u001B[2JReset\u0007"
      const text = "one\n\u001B]52;c;eA==\u0007two\u009B2J"
      const id = yield* (yield* Outbox).keep(customerID, { to: "a@acme.example", subject, text })
      const atTerminal = Layer.succeed(Coloured, { output: true, errors: true })
      for (const words of [["list"], ["show", String(id)]]) {
        const { output } = yield* Effect.provide(admin("outbox", ...words), atTerminal)
        expect(output).toContain("Reset")
        expect(output).not.toMatch(/(?!\n)\p{Cc}/u)
      }
      expect((yield* admin("outbox", "show", String(id))).output).toMatch(/\n\none\n.*two/)
    })
  )

  it.effect("names a setting that is missing", () =>
    Effect.gen(function* () {
      const refused = yield* adminWith({ settings: { SECRETS_KEY: "" } }, "customer", "list")
      expect(refused).toMatchObject({
        succeeded: false,
        errors: [expect.stringMatching(/^Settings: SECRETS_KEY must be set/)]
      })
    })
  )
})
