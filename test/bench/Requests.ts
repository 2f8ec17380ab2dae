import { compareServers } from "./Contestants.ts"
import { fileContests } from "./FileContests.ts"
import { hubContest } from "./HubContest.ts"
import { mailContest } from "./MailContest.ts"
import { photoContest } from "./PhotoContest.ts"
import { ticketContests } from "./TicketContests.ts"

/** Some of the contests below, for a shorter run. */
export const requestParts: Readonly<Record<string, () => Promise<void>>> = {
  intake: () => compareServers(async (setting) => [await mailContest(setting)]),
  downloads: () => compareServers(fileContests),
  photos: () => compareServers(async (setting) => [await photoContest(setting)]),
  duties: () => compareServers(async (setting) => ticketContests(setting), "duties"),
  fanout: () => compareServers(async (setting) => [hubContest(setting)])
}

/** Compares every kind of request with a Fastify twin and the bare limit. */
export const benchRequests = () =>
  compareServers(async (setting) => [
    ...ticketContests(setting),
    await mailContest(setting),
    ...(await fileContests(setting)),
    await photoContest(setting),
    hubContest(setting)
  ])
