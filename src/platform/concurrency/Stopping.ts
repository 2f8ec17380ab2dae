import { Context, Effect, Layer } from "effect"

/**
 * Whether this node was told to stop. Until its connections end it still responds, and tells clients to go elsewhere.
 */
export class Stopping extends Context.Tag("casework/Stopping")<
  Stopping,
  { readonly hasBegun: () => boolean; readonly begin: Effect.Effect<void> }
>() {
  static readonly layer = Layer.sync(Stopping, () => {
    let begun = false
    return {
      hasBegun: () => begun,
      begin: Effect.sync(() => {
        begun = true
      })
    }
  })
}
