import { compareWithLog } from '../faults/compare-with-log.ts'
import { type SenderLoad, startSenderLoad } from '../faults/load.ts'
import { sleep } from '../faults/test-bed.ts'
import type { DatabaseStage } from './open-stage.ts'

/** A strike breaks something, and calls `cured` when it is over. It answers what it saw, in words. */
export type Strike = (stage: DatabaseStage, cured: () => void, load: SenderLoad) => Promise<string>

/** The load during a strike has these settings. */
export interface Asked {
  /** The load has this many transactions a second, of four deliveries each. */
  readonly perSecond?: number
  /** One page is visited again after this many milliseconds. */
  readonly pause?: number
  /** The port belongs to another server than the stage's. */
  readonly port?: number
}

/** Everything must have recovered within this many milliseconds. */
const patienceMs = 60_000

export const pages = [
  '/overview',
  '/transactions',
  '/timeline',
  '/accounts',
  '/companies',
  '/users',
  '/endpoints',
  '/gaps',
  '/audit',
  '/team',
  '/settings',
]

interface Request {
  readonly at: number
  /** The time is the milliseconds until the answer. */
  readonly took: number
  readonly status: number
}

interface Visit extends Request {
  readonly page: string
}

/** The function strikes under load, and waits until deliveries, folds and pages have recovered. It throws what is wrong. */
export async function strike(stage: DatabaseStage, act: Strike, asked: Asked = {}): Promise<string> {
  const { perSecond = 10, port = stage.port } = asked
  const load = startSenderLoad({ receiver: stage.receiver, ports: () => [port], perSecond })
  const visits = port === stage.port ? visitPages(stage, asked.pause ?? 500) : null
  let saw: string
  let folded: number
  let curedAt = Number.NaN
  try {
    await sleep(2_000)
    const cured = () => {
      curedAt = performance.now()
    }
    saw = await act(stage, cured, load)
    if (Number.isNaN(curedAt)) curedAt = performance.now()
    folded = await secondsUntilFolded(stage)
    await untilWell(load, visits?.seen, curedAt)
    await sleep(2_000)
  } finally {
    // A delivery that nobody takes is sent for ever.
    await Promise.race([Promise.all([load.finish(), visits?.stop()]), sleep(patienceMs)])
  }
  await compareWithLog(stage, load)
  const broken = visits?.seen.filter(({ status }) => status === 500).length ?? 0
  const lost = visits?.seen.find(({ status }) => status !== 200 && status > 0 && status < 500)
  if (lost) throw new Error(`${lost.page} was answered ${lost.status}`)
  const seconds = [
    `deliveries ${inSeconds(wellAfter(load.attempts, curedAt))}`,
    `folds ${folded.toFixed(1)}`,
    ...(visits ? [`pages ${inSeconds(wellAfter(visits.seen, curedAt))}`] : []),
  ]
  return `acknowledged ${load.delivered.length}, missing 0; well after (s) ${seconds.join(', ')}; ${broken} pages answered 500${saw ? `; ${saw}` : ''}`
}

const inSeconds = (ms: number | null) => ((ms ?? Number.NaN) / 1_000).toFixed(1)

/** The result is the time of the last failed request after the cure. */
function lastFailure(requests: readonly Request[], curedAt: number): number {
  return Math.max(curedAt, ...requests.filter(({ status }) => status !== 200).map(({ at }) => at))
}

/**
 * The result is the milliseconds from the cure to the first good answer after which no request fails, or null while there is
 * none.
 */
function wellAfter(requests: readonly Request[], curedAt: number): number | null {
  const from = lastFailure(requests, curedAt)
  const answers = requests
    .filter(({ status, at, took }) => status === 200 && (from === curedAt || at > from) && at + took > from)
    .map(({ at, took }) => at + took)
  return answers.length === 0 ? null : Math.min(...answers) - curedAt
}

async function untilWell(load: SenderLoad, seen: readonly Visit[] | undefined, curedAt: number) {
  const isWell = (requests: readonly Request[]) =>
    wellAfter(requests, curedAt) !== null && performance.now() - lastFailure(requests, curedAt) > 3_000
  while (!isWell(load.attempts) || (seen && !isWell(seen))) {
    if (performance.now() - curedAt > patienceMs) throw new Error('Not well within a minute')
    await sleep(200)
  }
}

/** The result is the seconds until everything stored by now is folded. */
async function secondsUntilFolded(stage: DatabaseStage): Promise<number> {
  const from = performance.now()
  const [moment] = await stage.ask<{ at: string }>('SELECT clock_timestamp()::text AS at')
  for (;;) {
    const [left] = await stage.ask<{ count: number }>(
      `SELECT count(*)::int AS count FROM delivery_pending JOIN delivery ON id = delivery_id
       WHERE received_at <= $1::timestamptz AND dead_lettered_at IS NULL`,
      [moment?.at],
    )
    if (left?.count === 0) return (performance.now() - from) / 1_000
    if (performance.now() - from > patienceMs) throw new Error(`${left?.count} not folded within a minute`)
    await sleep(100)
  }
}

/** Each page has one visitor, who comes again and again. */
export function visitPages({ port, cookie }: DatabaseStage, pause: number) {
  const seen: Visit[] = []
  let stopping = false
  const visit = async (page: string) => {
    while (!stopping) {
      const at = performance.now()
      const status = await fetch(`http://localhost:${port}${page}`, {
        headers: { cookie },
        redirect: 'manual',
        signal: AbortSignal.timeout(30_000),
      }).then(
        // A page that fails after its beginning contains the number of its error.
        async (answer) => (/data-dgst="\d|"digest":"\d/.test(await answer.text()) ? 500 : answer.status),
        () => 0,
      )
      seen.push({ at, took: performance.now() - at, page, status })
      await sleep(pause)
    }
  }
  const visitors = Promise.all(pages.map(visit))
  return {
    seen,
    async stop() {
      stopping = true
      await visitors
    },
  }
}
