import type {
  FileAttachment,
  MailFolder,
  Message,
  NullableOption,
  Subscription,
  UploadSession
} from "@microsoft/microsoft-graph-types"
import { describe, expect, expectTypeOf, it } from "vitest"
import {
  type GraphAttachment,
  type GraphFolder,
  GraphMessage,
  type GraphSubscription,
  messageFields,
  type UploadSession as OurUploadSession
} from "../../src/mail/GraphShapes.ts"

/** The values the provider may send for a property; that an id is there is part of its promise, not of its types. */
type Sent<Theirs, Key extends keyof Theirs> = Exclude<Theirs[Key], undefined>

type Shared<Ours, Theirs> = Exclude<keyof Ours & keyof Theirs, "id">

/** The properties where the provider's types allow values that a schema does not take. */
type Refused<Ours, Theirs> = {
  [Key in Shared<Ours, Theirs>]: Sent<Theirs, Key> extends Ours[Key] ? never : Key
}[Shared<Ours, Theirs>]

/** The properties that a schema reads but the provider does not know. */
type Unknown<Ours, Theirs> = Exclude<keyof Ours, keyof Theirs | "@odata.type">

describe("The schemas for Microsoft Graph", () => {
  it("accept what Graph's own types allow, and have no properties unknown to it", () => {
    expectTypeOf<Refused<typeof GraphFolder.Encoded, MailFolder>>().toEqualTypeOf<never>()
    expectTypeOf<Refused<typeof GraphMessage.Encoded, Message>>().toEqualTypeOf<never>()
    expectTypeOf<Refused<typeof GraphAttachment.Encoded, FileAttachment>>().toEqualTypeOf<never>()
    expectTypeOf<
      Refused<Omit<typeof GraphSubscription.Encoded, "expirationDateTime">, Subscription>
    >().toEqualTypeOf<never>()
    expectTypeOf<NonNullable<Subscription["expirationDateTime"]>>().toEqualTypeOf<
      (typeof GraphSubscription.Encoded)["expirationDateTime"]
    >()
    expectTypeOf<NonNullable<UploadSession["uploadUrl"]>>().toEqualTypeOf<
      (typeof OurUploadSession.Encoded)["uploadUrl"]
    >()
    expectTypeOf<Unknown<typeof GraphFolder.Encoded, MailFolder>>().toEqualTypeOf<never>()
    expectTypeOf<Unknown<typeof GraphMessage.Encoded, Message>>().toEqualTypeOf<never>()
    // A link to a file elsewhere has a source URL; the other attachments do not.
    expectTypeOf<Unknown<typeof GraphAttachment.Encoded, FileAttachment>>().toEqualTypeOf<"sourceUrl">()
    expectTypeOf<Unknown<typeof GraphSubscription.Encoded, Subscription>>().toEqualTypeOf<never>()
    expectTypeOf<NullableOption<string>>().toEqualTypeOf<string | null>()
  })

  it("are requested with exactly the fields that they read", () => {
    expect(messageFields.split(",").toSorted()).toEqual(Object.keys(GraphMessage.fields).toSorted())
  })
})
