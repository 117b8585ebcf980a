import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { cutConnections } from './db/pool.ts'

/** The result of the work, or `late` when it takes longer than this many milliseconds. The work itself goes on. */
export async function inTime<Result, Late>(
  work: Promise<Result>,
  ms: number,
  late: Late,
): Promise<Result | Late> {
  const given = new AbortController()
  try {
    return await Promise.race([work, sleep(ms, late, { signal: given.signal })])
  } finally {
    given.abort()
  }
}

/** The step did not end in time, and its connections were closed. */
export class StepTimeoutError extends Error {}

/**
 * `withWatchdog` runs one step of work on `pool`. After `limit` milliseconds it closes all connections of the pool, and the
 * caller gets `StepTimeoutError`, even if the step never ends. Only such steps may use the pool.
 */
export function withWatchdog<T>(pool: pg.Pool, limit: number, step: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      cutConnections(pool)
      reject(new StepTimeoutError(`Not done within ${limit / 1_000} s: its connections were cut`))
    }, limit)
    step()
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })
}
