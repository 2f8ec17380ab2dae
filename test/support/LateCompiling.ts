import { setFlagsFromString } from "node:v8"

// Most of what a test runs it runs too seldom to be worth optimising: with the default a tenth of all the time went there.
setFlagsFromString("--interrupt-budget=500000")
