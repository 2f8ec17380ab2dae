import { describe, expect, it } from "@effect/vitest"
import { verify } from "@node-rs/argon2"
import { Effect, Fiber, FastCheck as fc, Redacted, Schema } from "effect"
import { isStrongPassword, Password } from "../../schema/Passwords.ts"
import { PasswordHasher } from "../../src/auth/PasswordHasher.ts"

const digit = fc.constantFrom(..."0123456789")
const lower = fc.constantFrom(..."abcxyzäßé")
const upper = fc.constantFrom(..."ABCXYZÄÉ")
const symbol = fc.constantFrom(..."!-_. ~€😀")

const kinds = [digit, lower, upper, symbol]

/** Texts with characters of exactly these kinds, in any order. */
const textOf = (chosen: ReadonlyArray<fc.Arbitrary<string>>, length: { minLength: number; maxLength: number }) =>
  fc
    .tuple(fc.tuple(...chosen), fc.array(fc.oneof(...chosen), length))
    .chain(([one, rest]) => fc.shuffledSubarray([...one, ...rest], { minLength: one.length + rest.length }))
    .map((characters) => characters.join(""))

const kindsChosen = (minLength: number, maxLength: number) => fc.subarray(kinds, { minLength, maxLength })

describe("The password rule", () => {
  it("accepts 8 or more characters of 3 or 4 kinds", () => {
    fc.assert(
      fc.property(
        kindsChosen(3, 4).chain((chosen) => textOf(chosen, { minLength: 5, maxLength: 30 })),
        isStrongPassword
      )
    )
  })

  it("refuses a password of 1 or 2 kinds, however long", () => {
    fc.assert(
      fc.property(
        kindsChosen(1, 2).chain((chosen) => textOf(chosen, { minLength: 8, maxLength: 60 })),
        (password) => !isStrongPassword(password)
      )
    )
  })

  it("refuses less than 8 characters, whatever they are", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 7 }), (password) =>
        [...password].length < 8 ? !isStrongPassword(password) : true
      )
    )
    expect(isStrongPassword("aB1😀😀😀😀")).toBe(false)
    expect(isStrongPassword("aB1😀😀😀😀😀")).toBe(true)
  })

  it("is the same in the schema", () => {
    const decode = Schema.is(Password)
    fc.assert(
      fc.property(
        kindsChosen(1, 4).chain((chosen) => textOf(chosen, { minLength: 1, maxLength: 20 })),
        (password) => decode(password) === isStrongPassword(password)
      )
    )
    expect(decode(`aB1-${"x".repeat(1020)}`)).toBe(true)
    expect(decode(`aB1-${"x".repeat(1021)}`)).toBe(false)
  })
})

describe("Passwords", () => {
  it.live("are hashed with argon2id, each with its own salt", () =>
    Effect.gen(function* () {
      const hasher = yield* PasswordHasher
      const password = Redacted.make("Demo-Pass-1")
      const [one, other] = [yield* hasher.hash(password), yield* hasher.hash(password)]
      expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
      expect(one).not.toBe(other)
      expect(yield* Effect.promise(() => verify(one, "Demo-Pass-1"))).toBe(true)
      expect(yield* hasher.verify(other, password)).toBe(true)
      expect(yield* hasher.verify(one, Redacted.make("demo-pass-1"))).toBe(false)
      expect(yield* hasher.verifyNothing(Redacted.make("nobody has this password"))).toBe(false)
    }).pipe(Effect.provide(PasswordHasher.layer))
  )

  it.live("are checked two at a time, also when those who asked do not wait: only the next in line can leave", () =>
    Effect.gen(function* () {
      const hasher = yield* PasswordHasher
      const ask = Effect.fork(hasher.verifyNothing(Redacted.make("nobody has this password")))
      const running = yield* Effect.all([ask, ask])
      const waiting = yield* ask
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(waiting)
      const leaving = yield* Effect.forEach(running, (fiber) => Effect.fork(Fiber.interrupt(fiber)))
      // A turn of the event loop at most: far less than a check takes.
      yield* Effect.repeatN(Effect.yieldNow(), 100)
      for (const fiber of [...running, ...leaving]) expect((yield* fiber.poll)._tag).toBe("None")
      yield* Fiber.joinAll(leaving)
    }).pipe(Effect.provide(PasswordHasher.layer))
  )
})
