import 'server-only'
import type { ServerResponse } from 'node:http'
import type pg from 'pg'
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { z } from 'zod'

/** These metrics are about this process, which counts them itself. Each process of a start has its own. */
const own = new Registry()

interface Words<Label extends string> {
  readonly name: `rampart_${string}`
  readonly help: string
  readonly labelNames?: readonly Label[]
}

export const ownCounter = <Label extends string>(words: Words<Label>): Counter<Label> =>
  new Counter({ labelNames: [], ...words, registers: [own] })

/** @param buckets seconds */
export const ownHistogram = <Label extends string>(
  words: Words<Label>,
  buckets: readonly number[],
): Histogram<Label> => new Histogram({ labelNames: [], ...words, buckets: [...buckets], registers: [own] })

/** `collect` sets the values whenever they are read. */
export const ownGauge = <Label extends string>(
  words: Words<Label>,
  collect: (gauge: Gauge<Label>) => void,
): Gauge<Label> =>
  new Gauge({
    labelNames: [],
    ...words,
    registers: [own],
    collect() {
      collect(this)
    },
  })

/** `ownTotal` is a counter whose value `read` knows. */
export const ownTotal = (words: Words<never>, read: () => number): Counter =>
  new Counter({
    ...words,
    labelNames: [],
    registers: [own],
    collect() {
      this.reset()
      this.inc(read())
    },
  })

/** The event loop is measured at this interval in milliseconds. */
const loopEveryMs = 20

/** Each process measures itself from its start on: memory, processor, event loop, open files. */
export function measureProcess(): void {
  collectDefaultMetrics({ register: own, eventLoopMonitoringPrecision: loopEveryMs })
}

/** `measurePools` reports the connections of pools that exist when metrics are read. */
export function measurePools(read: () => Readonly<Record<string, pg.Pool | undefined>>): void {
  ownGauge(
    {
      name: 'rampart_pool_connections',
      help: 'Connections of a pool, in use or idle',
      labelNames: ['pool', 'state'],
    },
    (gauge) => {
      for (const [pool, { totalCount, idleCount }] of poolsOf(read())) {
        gauge.set({ pool, state: 'used' }, totalCount - idleCount)
        gauge.set({ pool, state: 'idle' }, idleCount)
      }
    },
  )
  ownGauge(
    { name: 'rampart_pool_waiting', help: 'Statements that wait for a connection', labelNames: ['pool'] },
    (gauge) => {
      for (const [pool, { waitingCount }] of poolsOf(read())) gauge.set({ pool }, waitingCount)
    },
  )
}

const poolsOf = (pools: Readonly<Record<string, pg.Pool | undefined>>) =>
  Object.entries(pools).flatMap(([name, pool]) => (pool ? [[name, pool] as const] : []))

/** A process sends its metrics to another one in this form. */
export const ProcessMetricsSchema = z.array(
  z.looseObject({
    name: z.string(),
    aggregator: z.string().optional(),
    values: z.array(z.looseObject({ labels: z.record(z.string(), z.union([z.string(), z.number()])) })),
  }),
)
export type ProcessMetrics = z.output<typeof ProcessMetricsSchema>

export const readOwnMetrics = async (): Promise<ProcessMetrics> =>
  ProcessMetricsSchema.parse(await own.getMetricsAsJSON())

/** A process reports its metrics to the process that answers for it, at this interval in milliseconds. */
export const reportEveryMs = 5_000

/** `reportMetrics` sends the metrics of this process as they are now, and again from time to time. */
export function reportMetrics(send: (metrics: ProcessMetrics) => void): void {
  const report = () => void readOwnMetrics().then(send)
  report()
  setInterval(report, reportEveryMs).unref()
}

/** The text has the metrics of all these processes, each with a label that names its process, and those of `shared`. */
export async function formatMetrics(
  processes: ReadonlyMap<string, ProcessMetrics>,
  shared: Registry,
): Promise<{ readonly type: string; readonly text: string }> {
  const labelled = [...processes].map(([process, metrics]) =>
    metrics.map((metric) => ({
      ...metric,
      // No two processes have a series in common, so nothing is added up.
      aggregator: 'sum',
      values: metric.values.map((value) => ({ ...value, labels: { process, ...value.labels } })),
    })),
  )
  const joined = AggregatorRegistry.aggregate(labelled)
  return { type: shared.contentType, text: `${await shared.metrics()}\n${await joined.metrics()}` }
}

/** These metrics are about the whole installation, as its database knows it. */
export const openSharedMetrics = (): Registry => new Registry()

export const sharedGauge = <Label extends string>(register: Registry, words: Words<Label>): Gauge<Label> =>
  new Gauge({ labelNames: [], ...words, registers: [register] })

const answers = ownCounter({
  name: 'rampart_page_answers_total',
  help: 'Answers to people, by the first digit of their status',
  labelNames: ['status'],
})

const seconds = ownHistogram(
  {
    name: 'rampart_page_answer_seconds',
    help: 'Time from the head of a request of people to the end of its answer',
  },
  [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
)

// A rate needs a value before the first error.
for (const digit of [2, 3, 4, 5]) answers.inc({ status: `${digit}xx` }, 0)

/** The answer is counted when it is complete, and not when the browser went away before. */
export function countPageAnswer(response: ServerResponse): void {
  const began = performance.now()
  response.once('finish', () => {
    answers.inc({ status: `${Math.floor(response.statusCode / 100)}xx` })
    seconds.observe((performance.now() - began) / 1_000)
  })
}
