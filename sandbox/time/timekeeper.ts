import { setTimeout } from 'node:timers/promises'
import type { Pool } from 'pg'
import { addSeconds, type Clock, setClock } from './clock.ts'

/** The timekeeper makes one change to the clock at a time. */
export interface Timekeeper {
  /** The promise settles when the clock has arrived and everything due on the way is done. */
  advance(seconds: number): Promise<void>
  /** A later moment is reached as by `advance`. After a move back, every wait takes longer. */
  set(moment: Date): Promise<void>
  /** The clock stops until it is resumed. A frozen clock can be advanced, set, and given another speed for later. */
  freeze(): Promise<void>
  resume(): Promise<void>
  setSpeed(factor: number): Promise<void>
  showRealTime(): Promise<void>
  /** The target is set while the clock is being advanced. */
  target(): Date | undefined
}

export function createTimekeeper(parts: ClockParts): Timekeeper {
  const runSerially = createSerialQueue()
  let target: Date | undefined

  async function goTo(moment: Date) {
    target = moment
    await advanceTo(parts, moment).finally(() => {
      target = undefined
    })
  }

  return {
    advance: (seconds) => runSerially(() => goTo(addSeconds(parts.clock.now(), seconds))),
    set: (moment) =>
      runSerially(() => (moment < parts.clock.now() ? setClock(parts, { now: moment }) : goTo(moment))),
    freeze: () => runSerially(() => setClock(parts, { frozen: true })),
    resume: () => runSerially(() => setClock(parts, { frozen: false })),
    setSpeed: (speed) => runSerially(() => setClock(parts, { speed })),
    showRealTime: () => runSerially(() => setClock(parts, { now: new Date(), speed: 1, frozen: false })),
    target: () => target,
  }
}

/** Pieces of work run one at a time, in the order of their requests. */
function createSerialQueue() {
  let last: Promise<unknown> = Promise.resolve()
  return <Result>(work: () => Promise<Result>): Promise<Result> => {
    const turn = last.then(work, work)
    last = turn
    return turn
  }
}

/** Functions that move the clock use these parts. `stopping` fires when the sandbox stops. */
interface ClockParts {
  readonly pool: Pool
  readonly clock: Clock
  readonly stopping: AbortSignal
}

/**
 * `advanceTo` stops at every due moment and waits for each retry and scenario step. A silent receiver is waited for up to
 * the delivery timeout. If the sandbox stops, the clock stays where it is.
 */
async function advanceTo(parts: ClockParts, target: Date): Promise<void> {
  const { clock, stopping } = parts
  await settle(parts)
  for (let due = await findNextDue(parts); due && due <= target; due = await findNextDue(parts)) {
    if (due > clock.now()) await setClock(parts, { now: due })
    await settle(parts)
    if (stopping.aborted) return
  }
  if (target > clock.now()) await setClock(parts, { now: target })
  await settle(parts)
}

/**
 * The answer is the sandbox time of the next retry or scenario step, or undefined when nothing waits. A running one counts,
 * since it may have just queued another.
 */
export async function findNextDue({ pool }: Pick<ClockParts, 'pool'>): Promise<Date | undefined> {
  const { rows } = await pool.query<{ next: Date | null }>(
    `SELECT sandbox_time_of(min(run_at)) AS next FROM jobs WHERE ${TIMED}`,
  )
  return rows[0]?.next ?? undefined
}

/** The promise settles when everything due now is done. */
async function settle({ pool, stopping }: ClockParts): Promise<void> {
  const now = new Date()
  while (!stopping.aborted) {
    const { rowCount } = await pool.query(`SELECT 1 FROM jobs WHERE ${TIMED} AND run_at <= $1 LIMIT 1`, [now])
    if (rowCount === 0) return
    await setTimeout(pauseMs)
  }
}

const pauseMs = 5

/** These jobs keep to the sandbox's clock. */
const TIMED = `task_identifier IN ('deliver', 'play')`
