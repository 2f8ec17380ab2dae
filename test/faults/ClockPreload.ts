/**
 * Loaded before the service: makes its wall clock jump, as a broken time server or an operator would. Each SIGUSR2
 * moves on to the next of the shifts. Timers and the database keep their own clocks, as on a real machine.
 */
const shifts = [0, 26 * 3_600_000, -26 * 3_600_000]
let position = 0

const RealDate = Date
const shiftedNow = () => RealDate.now() + (shifts[position % shifts.length] ?? 0)

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [shiftedNow()] : given, newTarget),
  get: (target, name, receiver) => (name === "now" ? shiftedNow : Reflect.get(target, name, receiver))
})

process.on("SIGUSR2", () => {
  position += 1
})
