import { type MetricLabel, type MetricPair, MetricState, Option } from "effect"

const validName = (name: string) => name.replaceAll(/[^a-zA-Z0-9_:]/g, "_")

const escapeLabel = (value: string) => value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")

const escapeHelp = (text: string) => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")

type Tags = ReadonlyArray<MetricLabel.MetricLabel>

const labelsOf = (tags: Tags, more: Readonly<Record<string, string>> = {}) => {
  const all = [...tags.map(({ key, value }) => [key, value] as const), ...Object.entries(more)]
  if (all.length === 0) return ""
  return `{${all.map(([key, value]) => `${validName(key)}="${escapeLabel(value)}"`).join(",")}}`
}

const numberText = (value: number | bigint) => (value === Number.POSITIVE_INFINITY ? "+Inf" : String(value))

interface Family {
  readonly type: "counter" | "gauge" | "histogram"
  readonly help: string
  readonly lines: Array<string>
}

const read = (name: string, tags: Tags, state: MetricState.MetricState.Untyped): Omit<Family, "help"> | undefined => {
  const line = (value: number | bigint, suffix = "", more?: Readonly<Record<string, string>>) =>
    `${name}${suffix}${labelsOf(tags, more)} ${numberText(value)}`
  if (MetricState.isCounterState(state)) return { type: "counter", lines: [line(state.count)] }
  if (MetricState.isGaugeState(state)) return { type: "gauge", lines: [line(state.value)] }
  if (!MetricState.isHistogramState(state)) return undefined
  const buckets = state.buckets.map(([bound, count]) => line(count, "_bucket", { le: numberText(bound) }))
  return { type: "histogram", lines: [...buckets, line(state.sum, "_sum"), line(state.count, "_count")] }
}

/** Formats metrics as Prometheus reads them, one family after the other. */
export const prometheusText = (pairs: ReadonlyArray<MetricPair.MetricPair.Untyped>) => {
  const families = new Map<string, Family>()
  for (const { metricKey, metricState } of pairs) {
    const name = validName(metricKey.name)
    const found = read(name, metricKey.tags, metricState)
    if (found === undefined) continue
    const family = families.get(name) ?? {
      ...found,
      help: Option.getOrElse(metricKey.description, () => ""),
      lines: []
    }
    family.lines.push(...found.lines)
    families.set(name, family)
  }
  return [...families]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([name, { help, lines, type }]) => [
      `# HELP ${name} ${escapeHelp(help)}`,
      `# TYPE ${name} ${type}`,
      ...lines,
      ""
    ])
    .join("\n")
}
