import 'server-only'
import type pg from 'pg'
import { cutConnections } from './pool.ts'

/** The step did not end, and its connections were cut. */
export class StepTimeoutError extends Error {}

/**
 * Does one step of work on `pool`. When it has not ended within `limit` milliseconds, every connection of the pool is cut
 * and the caller goes on with `StepTimeoutError`, even if the step never ends. For a pool that only such steps use.
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
