import 'server-only'
import { setTimeout as pause } from 'node:timers/promises'

/** Minimum duration in milliseconds of an answer whose timing must not reveal what was found. */
export const minimumDurationMs = 1_000

/** After how many milliseconds an answer is given: as soon as it is there and one of these has passed. */
export const answerSteps = [minimumDurationMs, 3_000, 10_000]

let wait: (ms: number) => Promise<void> = pause

/** Waits before an answer that is ready, so that how soon it was ready does not show. */
export const waitToAnswer = (ms: number): Promise<void> => wait(ms)

/** Only tests call it: most of them are about the answer, and the others about its time. */
export function setAnswerWait(real: boolean): void {
  wait = real ? pause : async () => undefined
}

/**
 * Settles like `work`, but only after one, three or ten seconds: when the service is slow, that it is slower for one
 * address than for another still does not show.
 * @param mayAnswerAtOnce which answers reveal nothing by their timing
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
