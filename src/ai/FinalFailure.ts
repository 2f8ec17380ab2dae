import { Effect } from "effect"
import { BadGateway } from "../../schema/Errors.ts"

/**
 * A model will give no better answer to the same question: it refused, the provider does not accept the key, or what it
 * said cannot be used even when it was asked again. Callers see any other 502; whoever works for nobody that waits
 * knows that there is no point in asking again later.
 */
export class FinalFailure extends BadGateway {
  static override of(message: string) {
    return Effect.fail(new FinalFailure({ message }))
  }
}
