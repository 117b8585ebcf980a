import { setTimeout } from 'node:timers/promises'
import type { Pool } from 'pg'
import { addSeconds, type Clock, setClock } from './clock.ts'

/** Changes the clock for whoever asks, one change at a time. */
export interface Timekeeper {
  /** Answers when the clock is there and everything that came due on the way was done. */
  advance(seconds: number): Promise<void>
  /** A moment ahead is reached as by `advance`. Set back, the clock makes whatever waits wait longer. */
  set(moment: Date): Promise<void>
  /** Stands still until it is resumed; meanwhile it can be advanced, set, and given another speed to go on with. */
  freeze(): Promise<void>
  resume(): Promise<void>
  setSpeed(factor: number): Promise<void>
  showRealTime(): Promise<void>
  /** Where the clock is being advanced to, while it is. */
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

/** Lets one piece of work at a time happen, in the order of asking. */
function createSerialQueue() {
  let last: Promise<unknown> = Promise.resolve()
  return <Result>(work: () => Promise<Result>): Promise<Result> => {
    const turn = last.then(work, work)
    last = turn
    return turn
  }
}

/** What moves the clock works with; `stopping` fires when the sandbox stops. */
interface ClockParts {
  readonly pool: Pool
  readonly clock: Clock
  readonly stopping: AbortSignal
}

/**
 * Advances the clock to `target`, stopping at every due moment, so that each retry and scenario step happens
 * at its own time and its consequences are waited for. Returns when the clock is there and nothing due is
 * left; a receiver that does not answer is waited for up to the delivery timeout. If the sandbox stops, the
 * clock stays where it is.
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
 * When the next retry or scenario step is due on the sandbox's clock; undefined when nothing waits. A running
 * one counts, since it may have just queued another.
 */
export async function findNextDue({ pool }: Pick<ClockParts, 'pool'>): Promise<Date | undefined> {
  const { rows } = await pool.query<{ next: Date | null }>(
    `SELECT sandbox_time_of(min(run_at)) AS next FROM jobs WHERE ${TIMED}`,
  )
  return rows[0]?.next ?? undefined
}

/** Waits until whatever is due now has been done. */
async function settle({ pool, stopping }: ClockParts): Promise<void> {
  const now = new Date()
  while (!stopping.aborted) {
    const { rowCount } = await pool.query(`SELECT 1 FROM jobs WHERE ${TIMED} AND run_at <= $1 LIMIT 1`, [now])
    if (rowCount === 0) return
    await setTimeout(pauseMs)
  }
}

const pauseMs = 5

/** The jobs that keep to the sandbox's clock. */
const TIMED = `task_identifier IN ('deliver', 'play')`
