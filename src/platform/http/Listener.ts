import type { IncomingMessage, ServerResponse } from "node:http"
import {
  Etag,
  FileSystem,
  Headers,
  HttpPlatform,
  type HttpRouter,
  HttpServerError,
  HttpServerRequest,
  HttpServerResponse,
  Path
} from "@effect/platform"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Cause, Context, Effect, type Fiber, Runtime, Scope } from "effect"
import { onConnectionEnd } from "./ConnectionEnds.ts"
import { type Begun, type Conventions, withServices } from "./Conventions.ts"
import { Deadlines } from "./Deadlines.ts"
import { NodeRequest } from "./NodeRequest.ts"
import { plainAnswer } from "./PlainAnswer.ts"
import { RequestFibers } from "./RequestFibers.ts"
import { RequestScope } from "./RequestScope.ts"
import type { AppServices, RunServices } from "./Routes.ts"
import { sendResponse } from "./SendResponse.ts"

/** The services that the library lets handlers take for granted. */
const granted = Context.pick(HttpPlatform.HttpPlatform, Etag.Generator, FileSystem.FileSystem, Path.Path)

/**
 * Handles each request in a fiber that starts with all that it needs. What the library does around a request (a scope,
 * services that are added one by one, a second route lookup) takes several times as long as most handlers.
 */
export const makeListener = (begin: Conventions) =>
  Effect.gen(function* () {
    const runtime = yield* Effect.runtime<HttpRouter.HttpRouter.DefaultServices>()
    const { add } = yield* RequestFibers
    const { sending } = yield* Deadlines
    const base = granted(runtime.context).unsafeMap
    const fork = <A, E>(work: Effect.Effect<A, E>) => {
      const fiber = Runtime.runFork(runtime)(work)
      add(fiber)
      return fiber
    }

    const forkRequest = ({ app, services }: Begun, scope: RequestScope) => {
      const context = new Map(base)
      for (const [key, service] of services) context.set(key, service)
      context.set(Scope.Scope.key, scope)
      const fiber = Runtime.runFork(
        Runtime.make({
          context: Context.unsafeMake<AppServices>(context),
          fiberRefs: runtime.fiberRefs,
          runtimeFlags: runtime.runtimeFlags
        })
      )(app)
      add(fiber)
      return fiber
    }

    /** Outside of the fiber nothing else catches an exception, and the process would end. */
    const guarded = (to: ServerResponse, work: () => void, afterwards?: () => void) => {
      try {
        work()
      } catch (error) {
        const { body, headers, status } = plainAnswer(500, "An unexpected error occurred. Try again.")
        fork(Effect.logError("unexpected failure", Cause.die(error)))
        if (to.headersSent) to.destroy()
        else to.writeHead(status, headers).end(body)
        afterwards?.()
      }
    }

    /** Ends a response that is read too slowly: what it sends takes up memory or disk until it has left. */
    const inTime = (rest: Effect.Effect<void>, to: ServerResponse) =>
      Effect.suspend(() => {
        const timer = setTimeout(() => {
          fork(Effect.logWarning("a response was cut off", "The client took too long to read it."))
          to.destroy()
        }, sending).unref()
        return Effect.ensuring(
          rest,
          Effect.sync(() => clearTimeout(timer))
        )
      })

    return (source: IncomingMessage, to: ServerResponse) =>
      guarded(to, () => {
        const request = new NodeRequest(source, to)
        const begun = begin(request)
        const scope = new RequestScope()
        const answering = forkRequest(begun, scope)
        let underWay: Fiber.RuntimeFiber<unknown, unknown> = answering
        onConnectionEnd(source.socket, to, () => {
          if (!to.writableEnded) underWay.unsafeInterruptAsFork(HttpServerError.clientAbortFiberId)
        })
        answering.addObserver((exit) => {
          const closeScope = () => {
            if (scope.isUsed) fork(Effect.uninterruptible(scope.close(exit)))
          }
          const send = () => {
            const answer = begun.end(exit, answering)
            // There will be no response: the client must not wait for one.
            if (answer === undefined) to.destroy()
            const rest = answer && sendResponse(to, answer, request.method)
            if (rest !== undefined) {
              const inPieces = Effect.annotateLogs(inTime(rest, to), { requestId: answer?.headers["x-request-id"] })
              underWay = fork(Effect.ensuring(inPieces, scope.close(exit)))
            } else closeScope()
          }
          guarded(to, send, closeScope)
        })
      })
  })

/** Handles a request that asks for another protocol; the library performs the upgrade. */
export const answerUpgrade = (begin: Conventions) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
    Effect.withFiberRuntime<HttpServerResponse.HttpServerResponse, never, RunServices>((fiber) => {
      const source = NodeHttpServerRequest.toIncomingMessage(request)
      const to = () => NodeHttpServerRequest.toServerResponse(request)
      const { app, end, services } = begin(new NodeRequest(source, to, { upgrade: request.upgrade }))
      return Effect.exit(Effect.interruptible(withServices(app, services))).pipe(
        Effect.flatMap((exit) => {
          const answer = end(exit, fiber)
          return answer === undefined
            ? Effect.interrupt
            : Effect.succeed(HttpServerResponse.setHeaders(answer.response, Headers.fromInput(answer.headers)))
        })
      )
    })
  )
