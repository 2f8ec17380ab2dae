import { Effect } from "effect"
import { BadGateway } from "../../schema/Errors.ts"

/**
 * The model will give no better answer to the same question: it refused, the provider rejected the key, or its answer
 * was unusable even when asked again. Callers see an ordinary 502; background work knows not to retry later.
 */
export class FinalFailure extends BadGateway {
  static override of(message: string) {
    return Effect.fail(new FinalFailure({ message }))
  }
}
