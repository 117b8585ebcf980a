import { setTimeout } from 'node:timers/promises'
import type { Pool } from 'pg'
import { addSeconds, type Clock, queueDeliveries, setClock } from './clock.ts'

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
  /** The promise settles when the recorded attempts have sent their copies. */
  copiesSent(): Promise<void>
}

/**
 * `advanceTo` stops at every due moment and waits for each retry and scenario step. A silent receiver is waited for up to
 * the delivery timeout. Events that others send meanwhile, such as a load's, are not waited for, because they may never end.
 * If the sandbox stops, the clock stays where it is.
 */
async function advanceTo(parts: ClockParts, target: Date): Promise<void> {
  const { clock, stopping } = parts
  const last = await lastDelivery(parts)
  await settle(parts, last)
  for (let due = await findNextDue(parts, last); due && due <= target; due = await findNextDue(parts, last)) {
    if (due > clock.now()) await setClock(parts, { now: due })
    await settle(parts, last)
    if (stopping.aborted) return
  }
  if (target > clock.now()) await setClock(parts, { now: target })
  await settle(parts, last)
}

/** The answer is the number of the latest delivery. A bigint arrives as text. */
async function lastDelivery({ pool }: Pick<ClockParts, 'pool'>): Promise<string> {
  const { rows } = await pool.query<{ last: string | null }>('SELECT max(number) AS last FROM delivery')
  return rows[0]?.last ?? '0'
}

/**
 * The answer is the sandbox time of the next retry or scenario step, or undefined when nothing waits. A due one counts,
 * since it may queue another. With `last`, later deliveries count only where a scenario sent them.
 */
export async function findNextDue(
  { pool }: Pick<ClockParts, 'pool'>,
  last?: string,
): Promise<Date | undefined> {
  const { rows } = await pool.query<{ next: Date | null }>(
    `SELECT LEAST((SELECT sandbox_time_of(min(run_at)) FROM jobs WHERE ${stepJob}),
       (SELECT min(due_at) FROM delivery WHERE ${waiting})) AS next`,
    [last ?? null],
  )
  return rows[0]?.next ?? undefined
}

/**
 * The promise settles when everything due is done, up to the delivery `last` and what scenarios sent. `settle` queues a
 * delivery again that waits for long, because its job may have run by another time of the clock.
 */
async function settle({ pool, clock, stopping, copiesSent }: ClockParts, last: string): Promise<void> {
  for (let pauses = 1; !stopping.aborted; pauses++) {
    const { rows } = await pool.query<{ due: boolean }>(
      `SELECT EXISTS (SELECT FROM jobs WHERE ${stepJob} AND run_at <= $2)
         OR EXISTS (SELECT FROM delivery WHERE ${waiting} AND due_at <= $3) AS due`,
      [last, new Date(), clock.now()],
    )
    if (!rows[0]?.due) return copiesSent()
    await setTimeout(pauseMs)
    if (pauses % pausesUntilQueued === 0) await queueDeliveries(pool, clock.now())
  }
}

const pauseMs = 5
const pausesUntilQueued = 100

/** These jobs play the steps of scenarios. */
const stepJob = `task_identifier = 'play'`

/** The endpoint's loop may go on with later deliveries, so its job says nothing about these. */
const waiting = `state = 'waiting'
  AND ($1::bigint IS NULL OR number <= $1 OR event_id IN (SELECT unnest(event_ids) FROM play))`
