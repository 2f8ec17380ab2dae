/** The JSON schemas of what the twin accepts and returns. */
const nullable = (type: string) => ({ type: [type, "null"] })
const date = { type: ["string", "null"], format: "date-time" }
export const ticket = {
  type: "object",
  properties: {
    ticketID: { type: "integer" },
    dateCreated: date,
    status: { type: "string" },
    subject: nullable("string"),
    channelID: { type: "integer" },
    channelType: { type: "string" },
    endUserID: nullable("integer"),
    customerRepID: nullable("integer"),
    isClosed: { type: "boolean" },
    isSpam: { type: "boolean" },
    language: nullable("string"),
    lastMessageDate: date,
    lastSenderType: nullable("string"),
    topics: { type: "array", items: { type: "string" } },
    aiFeedbackComments: { type: "array", items: { type: "string" } },
    customFieldsData: { type: "object", additionalProperties: true },
    ticketToken: { type: "string" }
  }
}
export const page = {
  type: "object",
  properties: {
    items: { type: "array", items: ticket },
    totalCount: { type: "integer" },
    totalPages: { type: "integer" }
  }
}
const text = nullable("string")
export const message = {
  type: "object",
  properties: {
    messageID: { type: "integer" },
    ticketID: { type: "integer" },
    channelID: { type: "integer" },
    dateCreated: date,
    messageDate: date,
    senderType: { type: "string" },
    customerRepID: nullable("integer"),
    ...Object.fromEntries(
      "customerRepName status subject message preview htmlBody textBody fromAddress fromName toAddress uid pageURL pageScreenshot aI_FeedbackComment aiReply"
        .split(" ")
        .map((name) => [name, text])
    ),
    isOpened: { type: "boolean" },
    isEscalated: { type: "boolean" },
    hasAttachment: { type: "boolean" },
    topics: { type: "array", items: { type: "object", additionalProperties: true } },
    customFieldsData: { type: "object", additionalProperties: true },
    actions: { type: "array", items: { type: "object", additionalProperties: true } }
  }
}
export const query = {
  type: "object",
  properties: {
    pageNumber: { type: "integer", minimum: 1, default: 1 },
    pageSize: { type: "integer", minimum: 1, maximum: 200, default: 20 },
    status: { type: "string", enum: ["Open", "Pending", "Escalated", "Closed"] },
    search: { type: "string", maxLength: 200 }
  }
}
export const messagePage = {
  type: "object",
  properties: {
    items: { type: "array", items: message },
    totalCount: { type: "integer" },
    totalPages: { type: "integer" }
  }
}
export const byId = { type: "object", required: ["id"], properties: { id: { type: "integer", minimum: 1 } } }

export const newMessage = {
  type: "object",
  required: ["channelID", "message"],
  properties: { channelID: { type: "integer" }, uid: { type: "string" }, message: { type: "string" } }
}

export const notifications = {
  type: "object",
  required: ["value"],
  properties: {
    value: {
      type: "array",
      maxItems: 5000,
      items: {
        type: "object",
        required: ["subscriptionId", "clientState", "changeType", "resourceData"],
        properties: {
          subscriptionId: { type: "string" },
          clientState: { type: "string" },
          changeType: { type: "string" },
          resource: { type: "string" },
          resourceData: { type: "object", required: ["id"], properties: { id: { type: "string" } } }
        }
      }
    }
  }
}

export const byToken = {
  type: "object",
  required: ["token"],
  properties: { token: { type: "string", format: "uuid" } }
}

export const photos = {
  type: "array",
  items: {
    type: "object",
    properties: {
      placeDescriptionRoomPhotoID: { type: "integer" },
      placeDescriptionRoomID: { type: "integer" },
      fileName: { type: "string" },
      contentType: { type: "string" },
      accessToken: { type: "string" },
      sortOrder: { type: "integer" },
      widthPx: { type: "integer" },
      heightPx: { type: "integer" },
      dateCreatedUtc: date
    }
  }
}
