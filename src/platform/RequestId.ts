import { Context } from "effect"

/** The id under which the log knows the current request; empty outside of one. */
export class RequestId extends Context.Reference<RequestId>()("casework/RequestId", { defaultValue: () => "" }) {}
