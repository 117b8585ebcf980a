import 'server-only'
import type { Caller, CallSource } from '#lib/access/caller.ts'
import { recordAuditAlone } from '#lib/audit/record-audit.ts'

/** One entry covers what a page reads again and again while it is open, in ms. */
const oneReading = 15 * 60_000

/** Readings that are remembered; beyond them some are written down twice. */
const mostRemembered = 10_000

const readings = new Map<string, number>()

/** Writes down that somebody reads a person's data, once in a quarter of an hour for each session and person. */
export async function noteReading(caller: Caller, userUuid: string, source: CallSource): Promise<void> {
  const reading = `${caller.sessionId} ${userUuid}`
  const now = performance.now()
  if (now - (readings.get(reading) ?? Number.NEGATIVE_INFINITY) < oneReading) return
  await recordAuditAlone({ actor: caller, action: 'read.person', target: userUuid, outcome: 'done' }, source)
  if (readings.size >= mostRemembered) readings.clear()
  readings.set(reading, now)
}
