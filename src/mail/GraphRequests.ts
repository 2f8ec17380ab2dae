import { HttpClient, HttpClientRequest, type HttpClientResponse } from "@effect/platform"
import { Duration, Effect, Redacted, type Scope, Stream } from "effect"
import { retryPauses } from "../platform/RetryAfter.ts"
import { Settings } from "../platform/Settings.ts"
import { brokeOff, bytesOf, orProblem } from "./GraphAnswers.ts"
import { makeGraphTokens } from "./GraphTokens.ts"
import { makeMailboxTurns } from "./MailboxTurns.ts"
import { longestPause } from "./MailboxTurnsRepo.ts"
import { type Mailbox, MailProblem } from "./MailGraph.ts"

type Request = HttpClientRequest.HttpClientRequest
type Response = HttpClientResponse.HttpClientResponse

const mostTries = 5

const answersWithin = Duration.seconds(30)

const unreachable = () => new MailProblem({ reason: "Unavailable", message: "The mail provider cannot be reached" })

const tooSlow = () => new MailProblem({ reason: "Unavailable", message: "The mail provider is too slow" })

const pauses = retryPauses(
  { first: Duration.millis(500), retries: mostTries - 1 },
  ({ retryAfterSeconds }: MailProblem) => retryAfterSeconds
)

/** Requests to the provider on behalf of a mailbox: with a token, in turn, and again when it makes sense. */
export const makeGraphRequests = Effect.gen(function* () {
  const { graphBaseUrl } = yield* Settings
  const tokens = yield* makeGraphTokens
  const turns = yield* makeMailboxTurns
  // Its spans would carry addresses and ids of mails.
  const client = (yield* HttpClient.HttpClient).pipe(
    HttpClient.withTracerDisabledWhen(() => true),
    HttpClient.withScope
  )

  /** A link that the provider gave: only its own addresses get the token. */
  const checkedLink = (link: string) =>
    URL.canParse(link) && new URL(link).origin === new URL(graphBaseUrl).origin
      ? Effect.succeed(link)
      : new MailProblem({ reason: "Refused", message: "The mail provider names an address that is not its own" })

  const withToken = (mailbox: Mailbox, request: Request) =>
    Effect.gen(function* () {
      const token = yield* tokens.get(mailbox.credentials)
      const response = yield* HttpClientRequest.bearerToken(request, Redacted.value(token)).pipe(
        client.execute,
        Effect.mapError(unreachable),
        Effect.timeoutFail({ duration: answersWithin, onTimeout: tooSlow })
      )
      if (response.status === 401) yield* tokens.forget(mailbox.credentials, token)
      return response
    })

  /** A token may be withdrawn at any time: the first 401 asks for a new one. */
  const once = (mailbox: Mailbox, request: Request): Effect.Effect<Response, MailProblem, Scope.Scope> =>
    withToken(mailbox, request).pipe(
      Effect.filterOrElse(
        ({ status }) => status !== 401,
        () => withToken(mailbox, request)
      ),
      Effect.flatMap(orProblem)
    )

  /** One request in its turn; the turn ends when the answer has been read. */
  const inTurn = <A>(
    mailbox: Mailbox,
    request: Request,
    read: (response: Response) => Effect.Effect<A, MailProblem>
  ): Effect.Effect<A, MailProblem> =>
    turns.take(mailbox.address).pipe(
      Effect.zipRight(once(mailbox, request)),
      Effect.flatMap((response) => Effect.timeoutFail(read(response), { duration: answersWithin, onTimeout: tooSlow })),
      Effect.scoped
    )

  /** A provider that wants to be left alone is left alone, by everybody. */
  const leaveAlone = (mailbox: Mailbox, problem: MailProblem) =>
    problem.retryAfterSeconds === undefined
      ? Effect.void
      : turns.pause(mailbox.address, Math.min(problem.retryAfterSeconds * 1000, Duration.toMillis(longestPause)))

  const withRetries = <A, R>(
    mailbox: Mailbox,
    attempt: Effect.Effect<A, MailProblem, R>,
    isPassing = ({ reason }: MailProblem) => reason === "Unavailable"
  ): Effect.Effect<A, MailProblem, R> =>
    attempt.pipe(
      Effect.tapError((problem) => leaveAlone(mailbox, problem)),
      Effect.retry({
        schedule: pauses,
        while: (problem) => isPassing(problem) && (problem.retryAfterSeconds ?? 0) <= Duration.toSeconds(longestPause)
      })
    )

  const prefer = (request: Request, ...more: ReadonlyArray<string>) =>
    HttpClientRequest.setHeader(request, "prefer", ['IdType="ImmutableId"', ...more].join(", "))

  return {
    url: (path: string) => `${graphBaseUrl}${path}`,
    checkedLink,
    prefer,
    /** Asks until there is an answer or no hope. For requests that may be repeated. */
    ask: <A>(mailbox: Mailbox, request: Request, read: (response: Response) => Effect.Effect<A, MailProblem>) =>
      withRetries(mailbox, inTurn(mailbox, prefer(request), read)),
    askPreferring: <A>(
      mailbox: Mailbox,
      request: Request,
      preference: string,
      read: (response: Response) => Effect.Effect<A, MailProblem>
    ) => withRetries(mailbox, inTurn(mailbox, prefer(request, preference), read)),
    /** Asks once, and again only when the provider has said that it did nothing. */
    askOnce: <A>(mailbox: Mailbox, request: Request, read: (response: Response) => Effect.Effect<A, MailProblem>) =>
      withRetries(
        mailbox,
        inTurn(mailbox, prefer(request), read),
        ({ retryAfterSeconds }) => retryAfterSeconds !== undefined
      ),
    /** The bytes of an answer as they come; the turn is over with them. */
    stream: (mailbox: Mailbox, request: Request) =>
      turns.take(mailbox.address).pipe(
        Effect.zipRight(withRetries(mailbox, once(mailbox, prefer(request)))),
        Effect.map((response) => Stream.timeoutFail(bytesOf(response), brokeOff, answersWithin)),
        Stream.unwrapScoped
      )
  }
})
