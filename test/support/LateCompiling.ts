import { setFlagsFromString } from "node:v8"

// Most code that a test runs executes too rarely to be worth optimising: with the default, this took a tenth of all the
// time.
setFlagsFromString("--interrupt-budget=500000")
