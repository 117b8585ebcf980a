import 'server-only'
import { setTimeout as pause } from 'node:timers/promises'

/** The answer takes at least this many milliseconds, because its timing must not reveal what was found. */
export const minimumDurationMs = 1_000

/** An answer is given after one of these times in milliseconds: the first that has passed when the answer is ready. */
export const answerSteps = [minimumDurationMs, 3_000, 10_000]

let wait: (ms: number) => Promise<void> = pause

/** The wait before a ready answer hides how soon it was ready. */
export const waitToAnswer = (ms: number): Promise<void> => wait(ms)

/** Only tests call this: most of them are about the answer, and the others about its time. */
export function setAnswerWait(real: boolean): void {
  wait = real ? pause : async () => undefined
}

/**
 * The result settles like `work`, but only after one, three or ten seconds. This also hides that a slow service
 * is slower for one address than for another. `mayAnswerAtOnce` names the answers whose timing reveals nothing.
 */
export async function inEvenTime<T>(
  work: Promise<T>,
  mayAnswerAtOnce: (answer: T) => boolean = never,
): Promise<T> {
  const began = performance.now()
  try {
    const answer = await work
    if (!mayAnswerAtOnce(answer)) await untilNextStep(began)
    return answer
  } catch (error) {
    await untilNextStep(began)
    throw error
  }
}

async function untilNextStep(began: number): Promise<void> {
  const took = performance.now() - began
  const step = answerSteps.find((ms) => ms >= took)
  if (step !== undefined) await waitToAnswer(step - took)
}

const never = () => false
