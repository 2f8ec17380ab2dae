import { FastCheck } from "effect"

const given = process.env["FUZZ_SEED"] ?? "20260101"

/** The same in every run, so that a run says something about a change; FUZZ_SEED=random looks further. */
export const seed = given === "random" ? Math.floor(Math.random() * 2 ** 31) : Number(given)

FastCheck.configureGlobal({ ...FastCheck.readConfigureGlobal(), seed })
