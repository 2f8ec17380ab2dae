/**
 * The milliseconds of processor time that this process has used so far. Time spent waiting for a core does not count.
 */
export const processorTime = () => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}
