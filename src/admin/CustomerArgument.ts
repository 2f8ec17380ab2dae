import { Args } from "@effect/cli"

/** The customer that a command is about. */
export const customer = Args.text({ name: "customer" }).pipe(Args.withDescription("The customer's name, in any case"))
