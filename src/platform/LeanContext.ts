import { Context, Effect, Layer, Scope } from "effect"

// biome-ignore lint/suspicious/noExplicitAny: a tag is invariant in its service, so only this stands for any service
type TagOf<Identifier> = Context.Tag<Identifier, any>

export type Tags<Needed extends ReadonlyArray<unknown>> = { [At in keyof Needed]: TagOf<Needed[At]> }

/**
 * Builds a layer with these services around it and no others. The request handling keeps the context that it was built
 * in, and copies it several times a request: with all services of the app in it, that took a quarter of the time.
 */
export const keeping = <ROut, E, const Needed extends ReadonlyArray<unknown>>(
  layer: Layer.Layer<ROut, E, Needed[number]>,
  ...tags: Tags<Needed>
): Layer.Layer<ROut, E, Needed[number]> => {
  const build = (surroundings: Context.Context<Needed[number] | Scope.Scope>) => {
    const memoMap = Context.get(surroundings, Layer.CurrentMemoMap)
    const scope = Context.get(surroundings, Scope.Scope)
    const needed = Context.unsafeMake<Needed[number]>(Context.pick(...tags)(surroundings).unsafeMap)
    return Effect.mapInputContext(Layer.buildWithMemoMap(layer, memoMap, scope), () => needed)
  }
  return Layer.scopedContext(Effect.contextWithEffect(build))
}
