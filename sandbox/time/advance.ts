import { setTimeout } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Clock } from './clock.ts'
import { setClock } from './set-clock.ts'

/** What moves the clock works with; `stopping` fires when the sandbox stops. */
export type ClockParts = { pool: Pool; clock: Clock; stopping: AbortSignal }

/**
 * Moves the clock ahead to `target`, from one due moment to the next: each retry and each step of a scenario happens at
 * its own time, and what it leads to is waited for. Answers when the clock is there and nothing due is left undone;
 * a receiver that does not answer is waited for as long as a delivery may take. When the sandbox stops, it stays where
 * it has come.
 */
export async function advanceTo(parts: ClockParts, target: Date): Promise<void> {
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
 * When, on the sandbox's clock, the next retry or scenario step comes; undefined when nothing waits. One that is under
 * way counts, lest the clock pass it: a step that was waited for may just have sent something.
 */
export async function findNextDue({
  pool,
  clock,
}: Pick<ClockParts, 'pool' | 'clock'>): Promise<Date | undefined> {
  const { rows } = await pool.query<{ next: Date | null }>(
    `select min(run_at) as next from graphile_worker.jobs where ${TIMED}`,
  )
  const next = rows[0]?.next
  return next ? clock.at(next) : undefined
}

/** Waits until whatever is due now has been done. */
async function settle({ pool, stopping }: ClockParts): Promise<void> {
  const now = new Date()
  while (!stopping.aborted) {
    const { rowCount } = await pool.query(
      `select 1 from graphile_worker.jobs where ${TIMED} and run_at <= $1 limit 1`,
      [now],
    )
    if (rowCount === 0) return
    await setTimeout(PAUSE_MS)
  }
}

const PAUSE_MS = 5

/** The jobs that keep to the sandbox's clock. */
const TIMED = `task_identifier in ('deliver', 'play')`
