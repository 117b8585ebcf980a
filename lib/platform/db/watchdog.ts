import 'server-only'
import type pg from 'pg'
import { cutConnections } from './pool.ts'

/** The step did not end, and its connections were cut. */
export class StepTimeoutError extends Error {}

/**
 * Runs one step of work on `pool`. If it has not ended within `limit` milliseconds, all connections of the pool are
 * closed and the caller gets `StepTimeoutError`, even if the step never ends. For pools that only such steps use.
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
