import 'server-only'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { ServiceError } from '#lib/service/errors.ts'
import { serviceClient } from '#lib/service/service-client.ts'

/** What was read so many milliseconds ago still holds; otherwise the service is asked, but for no longer than this. */
const freshForMs = 60_000
const longestWaitMs = 1_500

/**
 * How far the service's clock is from ours, in milliseconds to add to our time. When it cannot be asked in time, what was
 * read last counts, or no difference.
 */
export async function readClockOffset(): Promise<number> {
  const { clock } = serviceClient()
  const readAt = clock.readAt()
  if (readAt === null || Date.now() - readAt > freshForMs) await Promise.race([ask(), pause(longestWaitMs)])
  return clock.offsetMs() ?? 0
}

/** Whatever it answers, and be it a refusal, it says the time. */
async function ask(): Promise<void> {
  try {
    await serviceClient().request({ method: 'GET', path: '/supported/countries' }, z.unknown())
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
  }
}

/** Whether a message that we issued lies outside its own times by the clock of the service, as its last answer said it. */
export function isOutOfServiceTime(message: string): boolean {
  const offset = serviceClient().clock.offsetMs()
  if (offset === null) return false
  const [issued, expires] = [timeOf(message, 'Issued At'), timeOf(message, 'Expiration Time')]
  const there = Date.now() + offset
  return there + toleranceMs < issued || there > expires
}

/** The header has whole seconds, and an answer is under way for a while. */
const toleranceMs = 15_000

const timeOf = (message: string, name: string) =>
  Date.parse(new RegExp(`^${name}: (.*)$`, 'm').exec(message)?.[1] ?? '')
