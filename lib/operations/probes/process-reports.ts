import 'server-only'
import {
  type ProcessMetrics,
  ProcessMetricsSchema,
  readOwnMetrics,
  reportEveryMs,
} from '#lib/platform/metrics.ts'

/** The processes of this start report their metrics to the server, which answers for all of them. */
export interface ProcessReports {
  take(process: string, metrics: unknown): void
  /** The result has this process, and others that have reported recently, by their names. */
  read(): Promise<ReadonlyMap<string, ProcessMetrics>>
}

/** A process that has been silent for so many milliseconds has ended or hangs. */
const silentMs = 3 * reportEveryMs

export function openProcessReports(own: string): ProcessReports {
  const latest = new Map<string, { readonly metrics: ProcessMetrics; readonly at: number }>()
  return {
    take(process, metrics) {
      latest.set(process, { metrics: ProcessMetricsSchema.parse(metrics), at: performance.now() })
    },
    async read() {
      const since = performance.now() - silentMs
      const others = [...latest]
        .filter(([, { at }]) => at >= since)
        .map(([name, { metrics }]) => [name, metrics] as const)
      return new Map([[own, await readOwnMetrics()], ...others])
    },
  }
}
