import { describe, expect, it } from "@effect/vitest"
import { messageValues } from "../../src/documents/MessageContext.ts"
import { fillText } from "../../src/documents/Placeholders.ts"

const context = {
  message: { text: "Where is my order?", subject: null },
  ticket: { id: 7, subject: "Order", status: "Open", fields: { orderNumber: 42, "shop name": "North", tags: ["a"] } },
  endUser: {
    firstName: "Ada",
    lastName: "Byron",
    displayName: "Ada Byron",
    email: "ada@acme.example",
    phone: null,
    customerRef: "C-1"
  }
}

describe("the placeholders of a message", () => {
  it("give what the message, its ticket and its end user have", () => {
    const template =
      "{{Message.text}}|{{Message.subject}}|{{Ticket.id}}|{{Ticket.subject}}|{{Ticket.status}}|{{Ticket.field.orderNumber}}|{{Ticket.field.shop name}}|{{Ticket.field.tags}}|{{Ticket.field.none}}|{{EndUser.firstName}}|{{EndUser.lastName}}|{{EndUser.displayName}}|{{EndUser.email}}|{{EndUser.phone}}|{{EndUser.customerRef}}"
    expect(fillText(template, messageValues(context))).toBe(
      'Where is my order?||7|Order|Open|42|North|["a"]||Ada|Byron|Ada Byron|ada@acme.example||C-1'
    )
  })

  it("are empty without an end user, and unknown ones stay as written", () => {
    const values = messageValues({ ...context, endUser: null })
    expect(fillText("{{EndUser.email}}|{{EndUser.age}}|{{Ticket}}|{{toString}}", values)).toBe(
      "|{{EndUser.age}}|{{Ticket}}|{{toString}}"
    )
  })
})
