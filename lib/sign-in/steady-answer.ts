import 'server-only'
import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds that an answer takes which must not tell by its time what was found. */
export const steadyMs = 1_000

/**
 * Answers `work` after `steadyMs` at the earliest, whether it fulfilled or threw.
 * @param atOnce which answers tell nothing by their time
 */
export async function steadyAnswer<T>(work: Promise<T>, atOnce: (answer: T) => boolean = never): Promise<T> {
  const enough = pause(steadyMs)
  try {
    const answer = await work
    if (!atOnce(answer)) await enough
    return answer
  } catch (error) {
    await enough
    throw error
  }
}

const never = () => false
