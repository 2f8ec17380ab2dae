import { FastCheck } from "effect"

const given = process.env["FUZZ_SEED"] ?? "20260101"

/** The same in every run, so that a difference comes from a change in the code; FUZZ_SEED=random explores further. */
export const seed = given === "random" ? Math.floor(Math.random() * 2 ** 31) : Number(given)

FastCheck.configureGlobal({ ...FastCheck.readConfigureGlobal(), seed })
