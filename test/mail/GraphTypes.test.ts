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

/** What the provider may send as a property; that an id is there is part of its promise, not of its types. */
type Sent<Theirs, Key extends keyof Theirs> = Exclude<Theirs[Key], undefined>

type Shared<Ours, Theirs> = Exclude<keyof Ours & keyof Theirs, "id">

/** The properties where the provider's types allow what a schema does not take. */
type Refused<Ours, Theirs> = {
  [Key in Shared<Ours, Theirs>]: Sent<Theirs, Key> extends Ours[Key] ? never : Key
}[Shared<Ours, Theirs>]

/** What a schema reads that the provider does not know. */
type Unknown<Ours, Theirs> = Exclude<keyof Ours, keyof Theirs | "@odata.type">

describe("The shapes that are read from Microsoft Graph", () => {
  it("take what its own types allow, and know no property that is not there", () => {
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
    // A link to a file elsewhere has an address; the others do not.
    expectTypeOf<Unknown<typeof GraphAttachment.Encoded, FileAttachment>>().toEqualTypeOf<"sourceUrl">()
    expectTypeOf<Unknown<typeof GraphSubscription.Encoded, Subscription>>().toEqualTypeOf<never>()
    expectTypeOf<NullableOption<string>>().toEqualTypeOf<string | null>()
  })

  it("are asked for by the names that they are read by", () => {
    expect(messageFields.split(",").toSorted()).toEqual(Object.keys(GraphMessage.fields).toSorted())
  })
})
