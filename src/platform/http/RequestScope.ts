import { Effect, ExecutionStrategy, type Exit, Pipeable, Scope } from "effect"

/** The scope of a request, created on first use: most requests have nothing to release. */
export class RequestScope extends Pipeable.Class() implements Scope.Scope {
  readonly [Scope.ScopeTypeId]: Scope.ScopeTypeId = Scope.ScopeTypeId
  readonly strategy = ExecutionStrategy.sequential
  #made: Scope.CloseableScope | undefined

  get #scope() {
    return Effect.suspend(() =>
      this.#made === undefined
        ? Effect.tap(Scope.make(), (scope) => {
            this.#made = scope
          })
        : Effect.succeed(this.#made)
    )
  }

  fork(strategy: ExecutionStrategy.ExecutionStrategy) {
    return Effect.flatMap(this.#scope, (scope) => Scope.fork(scope, strategy))
  }

  addFinalizer(finalizer: Scope.Scope.Finalizer) {
    return Effect.flatMap(this.#scope, (scope) => Scope.addFinalizerExit(scope, finalizer))
  }

  get isUsed() {
    return this.#made !== undefined
  }

  close(exit: Exit.Exit<unknown, unknown>): Effect.Effect<void> {
    return Effect.suspend(() => (this.#made === undefined ? Effect.void : Scope.close(this.#made, exit)))
  }
}
