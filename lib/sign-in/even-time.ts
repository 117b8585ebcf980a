import 'server-only'
import { setTimeout as pause } from 'node:timers/promises'

/** Minimum duration in milliseconds of an answer whose timing must not reveal what was found. */
export const minimumDurationMs = 1_000

/**
 * Settles like `work`, but after `minimumDurationMs` at the earliest.
 * @param mayAnswerAtOnce which answers reveal nothing by their timing
 */
export async function withMinimumDuration<T>(
  work: Promise<T>,
  mayAnswerAtOnce: (answer: T) => boolean = never,
): Promise<T> {
  const enough = pause(minimumDurationMs)
  try {
    const answer = await work
    if (!mayAnswerAtOnce(answer)) await enough
    return answer
  } catch (error) {
    await enough
    throw error
  }
}

const never = () => false
