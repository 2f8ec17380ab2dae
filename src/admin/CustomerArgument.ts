import { Args } from "@effect/cli"

export const customer = Args.text({ name: "customer" }).pipe(Args.withDescription("The customer's name, in any case"))
