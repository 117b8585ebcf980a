import 'server-only'
import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds that an answer takes which must not tell by its time what was found. */
export const steadyMs = 1_000

/** Runs `work` and answers it after `steadyMs` at the earliest, whether it fulfilled or threw. */
export async function steadyAnswer<T>(work: Promise<T>): Promise<T> {
  const [settled] = await Promise.allSettled([work, pause(steadyMs)])
  if (settled.status === 'rejected') throw settled.reason
  return settled.value
}
