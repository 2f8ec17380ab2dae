import type { ChannelType } from "../../schema/ChannelTypes.ts"
import type { TicketStatus } from "../../schema/Operations.ts"

export interface DemoMessage {
  /** Minutes before the demo data was created. */
  readonly ago: number
  readonly from: "EndUser" | "CustomerRep"
  readonly text: string
  /** The prepared answer that waits for a person to send it. */
  readonly draft?: string
  readonly comment?: string
}

export interface DemoTicket {
  /** The first name of the end user. */
  readonly endUser: string
  readonly channel: ChannelType
  readonly subject: string
  readonly status: TicketStatus
  readonly isSpam?: boolean
  readonly language: string
  readonly topic?: string
  readonly isAssigned?: boolean
  readonly fields?: Readonly<Record<string, string | number>>
  readonly messages: ReadonlyArray<DemoMessage>
}

const hour = 60
const day = 24 * hour

export const demoInbox: Readonly<Record<string, ReadonlyArray<DemoTicket>>> = {
  "Acme Rentals": [
    {
      endUser: "Jonas",
      channel: "Email",
      subject: "Heating again",
      status: "Closed",
      language: "en",
      topic: "Repair request",
      isAssigned: true,
      fields: { flat: "Oak Street 4, 3rd floor", urgency: 2 },
      messages: [
        {
          ago: 9 * day,
          from: "EndUser",
          text: "Hello,\n\nthe radiator in the bedroom stays cold although the others are warm. It was the same last winter. Could somebody have a look?\n\nJonas"
        },
        {
          ago: 9 * day - 2 * hour,
          from: "CustomerRep",
          text: "Hello Jonas,\n\nthank you for telling us. The technician comes on Thursday between 8 and 10. Please make sure that somebody is at home then."
        },
        { ago: 6 * day, from: "EndUser", text: "He was here and it works. Thank you for being so quick!" }
      ]
    },
    {
      endUser: "Maria",
      channel: "WhatsApp",
      subject: "Water below the sink",
      status: "Pending",
      language: "en",
      topic: "Repair request",
      messages: [
        {
          ago: 2 * day,
          from: "EndUser",
          text: "Hi, there is water below my kitchen sink. I put a bucket there for now."
        },
        {
          ago: 2 * day - 30,
          from: "CustomerRep",
          text: "Thank you, Maria. Can you send us a photo, and a time when somebody is at home tomorrow?"
        }
      ]
    },
    {
      endUser: "Aïcha",
      channel: "Email",
      subject: "Remboursement de la caution",
      status: "Escalated",
      language: "fr",
      topic: "Deposit refund",
      isAssigned: true,
      messages: [
        {
          ago: 28 * hour,
          from: "EndUser",
          text: "Bonjour,\n\nj'ai rendu les clés il y a six semaines et je n'ai toujours pas reçu ma caution. Quand sera-t-elle versée ?\n\nCordialement\nAïcha",
          draft:
            "Bonjour Aïcha,\n\nla caution est versée après l'état des lieux. Nous vérifions votre dossier et revenons vers vous.",
          comment: "The draft does not say when the money comes. Accounting has to check this."
        }
      ]
    },
    {
      endUser: "Tom",
      channel: "Chat",
      subject: "Office hours on Friday",
      status: "Open",
      language: "en",
      messages: [
        {
          ago: 3 * hour,
          from: "EndUser",
          text: "Is the office open on Friday afternoon? I would like to hand in a form."
        }
      ]
    },
    {
      endUser: "Tom",
      channel: "Email",
      subject: "You have won a voucher worth 500 EUR",
      status: "Open",
      isSpam: true,
      language: "en",
      messages: [
        {
          ago: 2 * hour,
          from: "EndUser",
          text: "Congratulations!!! Click here within 24 hours to claim your voucher worth 500 EUR."
        }
      ]
    },
    {
      endUser: "Maria",
      channel: "Email",
      subject: "Lost the key to the front door",
      status: "Open",
      language: "en",
      topic: "Lost key",
      fields: { flat: "Oak Street 4" },
      messages: [
        {
          ago: 25,
          from: "EndUser",
          text: "Good evening,\n\nI lost the key to the front door on the way home. My flatmate can let me in tonight, but I need a new one soon. What does it cost and when can I have it?\n\nBest regards\nMaria",
          draft:
            "Hello Maria,\n\nthank you for telling us at once. A new key is ready the next working day and costs 45 EUR. The office is open Monday to Friday, 9:00 to 17:00."
        }
      ]
    }
  ],
  "Globex Support": [
    {
      endUser: "Priya",
      channel: "Email",
      subject: "Order has not arrived",
      status: "Open",
      language: "en",
      topic: "Delivery delay",
      fields: { order: "G-58213" },
      messages: [
        {
          ago: 5 * hour,
          from: "EndUser",
          text: "Hello, my order G-58213 should have been here on Monday and the tracking has not moved for four days. Where is it?",
          draft: "Hello Priya, we asked the carrier about your parcel and write to you as soon as we know more."
        }
      ]
    },
    {
      endUser: "Luca",
      channel: "Email",
      subject: "Rimborso",
      status: "Pending",
      language: "it",
      topic: "Refund",
      isAssigned: true,
      messages: [
        {
          ago: 3 * day,
          from: "EndUser",
          text: "Buongiorno, ho rispedito le scarpe una settimana fa. Quando arriva il rimborso?"
        },
        {
          ago: 3 * day - hour,
          from: "CustomerRep",
          text: "Buongiorno Luca, il rimborso viene pagato entro 5 giorni lavorativi dall'arrivo del pacco."
        }
      ]
    },
    {
      endUser: "Søren",
      channel: "Chat",
      subject: "No sign-in code",
      status: "Closed",
      language: "en",
      topic: "Login problem",
      messages: [
        { ago: 5 * day, from: "EndUser", text: "I ask for a sign-in code and nothing arrives." },
        {
          ago: 5 * day - 10,
          from: "CustomerRep",
          text: "Please check your spam folder. I have just sent you a new one."
        },
        { ago: 5 * day - 14, from: "EndUser", text: "There it is. Thanks!" }
      ]
    }
  ],
  "Initech Surveys": [
    {
      endUser: "Ines",
      channel: "Phone",
      subject: "Move the appointment",
      status: "Open",
      language: "en",
      topic: "Survey appointment",
      messages: [
        {
          ago: 90,
          from: "EndUser",
          text: "I have an appointment for the flat in Mill Lane on Tuesday. Can we move it to Thursday morning?"
        }
      ]
    },
    {
      endUser: "Peter",
      channel: "Email",
      subject: "Scratch in the hallway is not in the report",
      status: "Escalated",
      language: "en",
      topic: "Report correction",
      isAssigned: true,
      messages: [
        {
          ago: day,
          from: "EndUser",
          text: "The scratch in the hallway floor was there when I moved in, but the report does not mention it. Please add it.",
          comment: "The surveyor has the photos."
        }
      ]
    }
  ]
}
