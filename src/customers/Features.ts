import { Schema } from "effect"

/** The optional features that a customer can subscribe to. */
export const Feature = Schema.Literal("SchedulesOfCondition")
export type Feature = typeof Feature.Type
