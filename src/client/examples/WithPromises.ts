import { CaseworkError, makeCaseworkPromiseClient } from "../../../schema/PromiseClient.ts"

const setting = (name: string) => process.env[name] ?? ""

const baseUrl = setting("CASEWORK_URL")

/** Logs in, creates a message and shows its ticket. */
const { auth } = makeCaseworkPromiseClient({ baseUrl })
const { token } = await auth.login({
  payload: {
    username: setting("CASEWORK_USERNAME"),
    password: setting("CASEWORK_PASSWORD"),
    hostname: "localhost"
  }
})
const casework = makeCaseworkPromiseClient({ baseUrl, token })

const channels = await casework.channels.listChannels()
const channelID = channels.find(({ channelType }) => channelType === "Email")?.channelID
if (channelID === undefined) throw new Error("There is no Email channel.")
const message = await casework.ticketMessagesOnPhone.createTicketMessage({
  payload: { channelID, fromAddress: "maria@mail.example", message: "Where is my key?" },
  headers: { "Idempotency-Key": crypto.randomUUID() }
})
const ticket = await casework.tickets.getTicket({ path: { id: message.ticketID } })
console.log(`Ticket ${ticket.ticketID} is ${ticket.status}.`)

await casework.tickets.deleteTicket({ path: { id: ticket.ticketID } })
try {
  await casework.tickets.getTicket({ path: { id: ticket.ticketID } })
} catch (error) {
  if (error instanceof CaseworkError && error.status === 404) console.log(error.message)
  else throw error
}
