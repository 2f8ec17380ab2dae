import { HttpClient, type HttpClientError, HttpClientRequest, type HttpClientResponse } from "@effect/platform"
import { Data, Duration, Effect, ExecutionStrategy, Exit, Predicate, Redacted, Scope, Stream } from "effect"
import { retryPauses } from "../platform/outbound/RetryAfter.ts"
import { Settings } from "../platform/settings/Settings.ts"
import { brokeOff, bytesOf, orProblem } from "./GraphAnswers.ts"
import { makeGraphTokens } from "./GraphTokens.ts"
import { makeMailboxTurns } from "./MailboxTurns.ts"
import { longestPause } from "./MailboxTurnsRepo.ts"
import { type Mailbox, MailProblem } from "./MailGraph.ts"

type Request = HttpClientRequest.HttpClientRequest
type Response = HttpClientResponse.HttpClientResponse

const mostTries = 5

const answersWithin = Duration.seconds(30)

/** For uploading a piece of a file. */
const takenWithin = Duration.minutes(2)

/** The provider rejected the token. */
class TokenRefused extends Data.TaggedError("TokenRefused")<{ readonly problem: MailProblem }> {}

/**
 * Requests that share turns: the provider's limits are per application. The customer is part of it, since anybody can
 * name the tenant, the application and the mailbox of somebody else, and must not slow them down for the owner.
 */
const turnsKey = ({ address, credentials: { clientID, tenantID }, customerID }: Mailbox) =>
  `${customerID} ${tenantID} ${clientID} ${address}`

const beforeConnected = /^(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/

const unreachable = ({ cause }: HttpClientError.HttpClientError) => {
  const isUndone = Predicate.hasProperty(cause, "code") && beforeConnected.test(String(cause.code))
  return new MailProblem({ reason: "Unavailable", message: "The mail provider could not be reached", isUndone })
}

/** Without a token the mailbox was never asked for anything. */
const tokenless = ({ message, reason, retryAfterSeconds }: MailProblem) =>
  new MailProblem({
    reason,
    message,
    isUndone: true,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds })
  })

const tooSlow = () => new MailProblem({ reason: "Unavailable", message: "The mail provider did not respond in time" })

const pauses = retryPauses(
  { first: Duration.millis(500), retries: mostTries - 1 },
  ({ retryAfterSeconds }: MailProblem) => retryAfterSeconds
)

/** On success the resources of `work` live as long as the surrounding scope; on failure they are released at once. */
const keptOnSuccess = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
      return yield* restore(Scope.extend(work, scope)).pipe(
        Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
      )
    })
  )

/** Requests to the provider on behalf of a mailbox: with a token, in turn, and retried where that makes sense. */
export const makeGraphRequests = Effect.gen(function* () {
  const { graphBaseUrl } = yield* Settings
  const tokens = yield* makeGraphTokens
  const turns = yield* makeMailboxTurns
  // The client's spans would carry addresses and mail ids.
  const client = (yield* HttpClient.HttpClient).pipe(
    HttpClient.withTracerDisabledWhen(() => true),
    HttpClient.withScope
  )

  const isOwnLink = (link: string) => URL.canParse(link) && new URL(link).origin === new URL(graphBaseUrl).origin

  /** Checks a link from a response: the token goes only to the provider's own addresses. */
  const checkedLink = (link: string) =>
    isOwnLink(link)
      ? Effect.succeed(link)
      : new MailProblem({ reason: "Refused", message: "The mail provider's response contains a link to another host" })

  /** Checks a stored link. The provider's base URL may have changed since, and the new host does not know the link. */
  const keptLink = (link: string) =>
    isOwnLink(link)
      ? Effect.succeed(link)
      : new MailProblem({
          reason: "Expired",
          message: "The stored position belongs to another address of the mail provider"
        })

  const execute = (
    request: Request,
    token: Redacted.Redacted
  ): Effect.Effect<Response, MailProblem | TokenRefused, Scope.Scope> =>
    HttpClientRequest.bearerToken(request, Redacted.value(token)).pipe(
      client.execute,
      Effect.mapError(unreachable),
      Effect.timeoutFail({ duration: answersWithin, onTimeout: tooSlow }),
      Effect.flatMap((response) =>
        Effect.mapError(orProblem(response), (problem) =>
          response.status === 401 ? new TokenRefused({ problem }) : problem
        )
      )
    )

  /** A token may be revoked at any time: after the first 401 a new one is requested. */
  const withToken = <A, R>(
    { credentials }: Mailbox,
    use: (token: Redacted.Redacted) => Effect.Effect<A, MailProblem | TokenRefused, R>
  ): Effect.Effect<A, MailProblem, R> => {
    const once = Effect.flatMap(
      Effect.mapError(
        Effect.suspend(() => tokens.get(credentials)),
        tokenless
      ),
      (token) => Effect.tapErrorTag(use(token), "TokenRefused", () => tokens.forget(credentials, token))
    )
    return once.pipe(
      Effect.catchTag("TokenRefused", () => once),
      Effect.catchTag("TokenRefused", ({ problem }) => Effect.fail(problem))
    )
  }

  /**
   * Sends one request in its turn, which ends when the response has been read. The token is obtained before taking the
   * turn.
   */
  const inTurn = <A>(
    mailbox: Mailbox,
    request: Request,
    read: (response: Response) => Effect.Effect<A, MailProblem>
  ): Effect.Effect<A, MailProblem> =>
    withToken(mailbox, (token) =>
      turns.take(turnsKey(mailbox)).pipe(
        Effect.zipRight(execute(request, token)),
        Effect.flatMap((response) =>
          Effect.timeoutFail(read(response), { duration: answersWithin, onTimeout: tooSlow })
        ),
        Effect.scoped
      )
    )

  /** Pauses the mailbox for every node when the provider asks to wait. */
  const leaveAlone = (mailbox: Mailbox, problem: MailProblem) =>
    problem.retryAfterSeconds === undefined
      ? Effect.void
      : turns.pause(turnsKey(mailbox), Math.min(problem.retryAfterSeconds * 1000, Duration.toMillis(longestPause)))

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

  /**
   * Whether the provider did nothing and said when to come back. A request that was cut off or failed otherwise may
   * have taken effect.
   */
  const didNothing = ({ isUndone = false, retryAfterSeconds }: MailProblem) =>
    isUndone && retryAfterSeconds !== undefined

  const prefer = (request: Request, ...more: ReadonlyArray<string>) =>
    HttpClientRequest.setHeader(request, "prefer", ['IdType="ImmutableId"', ...more].join(", "))

  return {
    url: (path: string) => `${graphBaseUrl}${path}`,
    checkedLink,
    keptLink,
    prefer,
    /** Retries until there is a response or no hope. For requests that may be repeated. */
    ask: <A>(mailbox: Mailbox, request: Request, read: (response: Response) => Effect.Effect<A, MailProblem>) =>
      withRetries(mailbox, inTurn(mailbox, prefer(request), read)),
    askPreferring: <A>(
      mailbox: Mailbox,
      request: Request,
      preference: string,
      read: (response: Response) => Effect.Effect<A, MailProblem>
    ) => withRetries(mailbox, inTurn(mailbox, prefer(request, preference), read)),
    /** Sends once, and again only when the provider has said that it did nothing. */
    askOnce: <A>(mailbox: Mailbox, request: Request, read: (response: Response) => Effect.Effect<A, MailProblem>) =>
      withRetries(mailbox, inTurn(mailbox, prefer(request), read), didNothing),
    /**
     * Sends exactly once, even on failure: the state that the request is based on may have changed by a later attempt.
     */
    askNow: <A>(mailbox: Mailbox, request: Request, read: (response: Response) => Effect.Effect<A, MailProblem>) =>
      inTurn(mailbox, prefer(request), read).pipe(Effect.tapError((problem) => leaveAlone(mailbox, problem))),
    /** Sends without a token, to a URL that carries its own permission and must not get the token as well. */
    askWithoutToken: (mailbox: Mailbox, request: Request) =>
      withRetries(
        mailbox,
        client
          .execute(request)
          .pipe(
            Effect.mapError(unreachable),
            Effect.timeoutFail({ duration: takenWithin, onTimeout: tooSlow }),
            Effect.flatMap(orProblem),
            Effect.asVoid,
            Effect.scoped
          ),
        didNothing
      ),
    /** Streams the bytes of a response; the turn ends with the stream. */
    stream: (mailbox: Mailbox, request: Request) =>
      withRetries(
        mailbox,
        withToken(mailbox, (token) =>
          keptOnSuccess(Effect.zipRight(turns.take(turnsKey(mailbox)), execute(prefer(request), token)))
        )
      ).pipe(
        Effect.map((response) => Stream.timeoutFail(bytesOf(response), brokeOff, answersWithin)),
        Stream.unwrapScoped
      )
  }
})
