import { FetchHttpClient } from "@effect/platform"
import { Config, Console, Effect } from "effect"
import { makeCaseworkClient } from "../../../schema/Client.ts"

/** Logs in, creates a message and shows its ticket. */
const program = Effect.gen(function* () {
  const baseUrl = yield* Config.string("CASEWORK_URL")
  const username = yield* Config.string("CASEWORK_USERNAME")
  const password = yield* Config.string("CASEWORK_PASSWORD")

  const { auth } = yield* makeCaseworkClient({ baseUrl })
  const { token } = yield* auth.login({ payload: { username, password, hostname: "localhost" } })
  const casework = yield* makeCaseworkClient({ baseUrl, token })

  const channels = yield* casework.channels.listChannels()
  const channel = yield* Effect.fromNullable(channels.find(({ channelType }) => channelType === "Email"))
  const message = yield* casework.ticketMessagesOnPhone.createTicketMessage({
    payload: { channelID: channel.channelID, fromAddress: "maria@mail.example", message: "Where is my key?" }
  })
  const ticket = yield* casework.tickets.getTicket({ path: { id: message.ticketID } })
  yield* Console.log(`Ticket ${ticket.ticketID} is ${ticket.status}.`)

  yield* casework.tickets.deleteTicket({ path: { id: ticket.ticketID } })
  yield* casework.tickets
    .getTicket({ path: { id: ticket.ticketID } })
    .pipe(Effect.catchTag("NotFound", (error) => Console.log(error.message)))
})

Effect.runPromise(program.pipe(Effect.provide(FetchHttpClient.layer)))
