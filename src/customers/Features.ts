import { Schema } from "effect"

/** What a customer can subscribe to beyond the plain service. */
export const Feature = Schema.Literal("SchedulesOfCondition")
export type Feature = typeof Feature.Type
