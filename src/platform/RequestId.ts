import { Context } from "effect"

/** The id of the current request in the log; empty outside of a request. */
export class RequestId extends Context.Reference<RequestId>()("casework/RequestId", { defaultValue: () => "" }) {}
