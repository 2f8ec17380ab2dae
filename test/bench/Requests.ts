import { compareServers } from "./Contestants.ts"
import { fileContests } from "./FileContests.ts"
import { hubContest } from "./HubContest.ts"
import { mailContest } from "./MailContest.ts"
import { photoContest } from "./PhotoContest.ts"
import { ticketContests } from "./TicketContests.ts"

/** Every kind of request beside a Fastify twin and the bare limit. */
export const benchRequests = () =>
  compareServers(async (setting) => [
    ...ticketContests(setting),
    await mailContest(setting),
    ...(await fileContests(setting)),
    await photoContest(setting),
    hubContest(setting)
  ])
