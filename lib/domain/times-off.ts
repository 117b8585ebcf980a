import type { Interval } from './gaps.ts'

/** What was done to an endpoint here, as the audit keeps it: `begun` before the service was asked, then how it ended. */
export interface Deed {
  readonly status: string
  readonly outcome: string
  /** In ms since 1970. */
  readonly at: number
}

/**
 * The times for which an endpoint was disabled here, from before the service was asked until it said that the
 * endpoint is active again; the last may still last.
 * @param deeds of one endpoint, in order
 */
export function timesOff(deeds: readonly Deed[]): Interval[] {
  const times: Interval[] = []
  let asked: number | null = null
  let off: number | null = null
  for (const { status, outcome, at } of deeds) {
    if (status === 'disabled' && outcome === 'begun') asked = at
    if (status === 'disabled' && (outcome === 'done' || outcome === 'unsure')) off ??= asked ?? at
    if (status === 'active' && outcome === 'done' && off !== null) {
      times.push({ began: off, ended: at })
      off = null
    }
  }
  return off === null ? times : [...times, { began: off, ended: null }]
}
