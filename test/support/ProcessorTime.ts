/** The milliseconds for which this process has computed so far. Those for which it waited for its turn do not count. */
export const processorTime = () => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}
