import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'

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
