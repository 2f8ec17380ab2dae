import { HttpRouter, HttpServerRespondable } from "@effect/platform"
import { Effect } from "effect"
import { memoised } from "../caching/Memoised.ts"
import type { App, Route } from "./Routes.ts"

/** The handlers of all routes. */
export interface Handlers {
  readonly of: (route: Route) => App
  /** The context that a handler reads the path's parameters from. */
  readonly contextOf: (route: Route, params: HttpRouter.RouteContext["params"]) => HttpRouter.RouteContext
}

const nameOf = ({ method, path }: { readonly method: string; readonly path: string }) => `${method} ${path}`

/** Finds the handlers that the groups of the API, the pages and the hub have added to the library's router. */
export const handlersIn = (router: HttpRouter.HttpRouter<unknown, HttpRouter.HttpRouter.DefaultServices>): Handlers => {
  const known = new Map(
    [...router.routes].map((route) => {
      const app = Effect.flatMap(route.handler, HttpServerRespondable.toResponse)
      return [nameOf(route), { route, app }]
    })
  )
  const find = memoised((route: Route) => {
    const found = known.get(nameOf(route))
    if (found === undefined) throw new Error(`There is no handler for ${nameOf(route)}`)
    return found
  })
  return {
    of: (route) => find(route).app,
    contextOf: (route, params) => ({
      [HttpRouter.RouteContextTypeId]: HttpRouter.RouteContextTypeId,
      params,
      route: find(route).route
    })
  }
}
