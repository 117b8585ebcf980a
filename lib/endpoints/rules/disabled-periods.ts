import type { GapInterval } from './gaps.ts'

/** How a change of an endpoint's status ended; `unsure`: the service's answer was lost. */
export type StatusOutcome = 'done' | 'refused' | 'failed' | 'unsure'

/** A status that was asked for an endpoint here. Times in ms since 1970. */
export interface StatusChange {
  readonly status: string
  /** Before the service was asked. */
  readonly askedAt: number
  /** Null while the service has not answered, and for good when the change was interrupted. */
  readonly settled: { readonly outcome: StatusOutcome; readonly at: number } | null
}

/**
 * Periods in which an endpoint was disabled from here: from before the service was asked to disable it until the
 * service confirmed that it is active. The last one may still last.
 * @param changes of one endpoint, in order
 */
export function disabledPeriods(changes: readonly StatusChange[]): GapInterval[] {
  const times: GapInterval[] = []
  let off: number | null = null
  for (const { status, askedAt, settled } of changes) {
    const outcome = settled?.outcome
    if (status === 'disabled' && (outcome === 'done' || outcome === 'unsure')) off ??= askedAt
    if (status === 'active' && settled?.outcome === 'done' && off !== null) {
      times.push({ began: off, ended: settled.at })
      off = null
    }
  }
  return off === null ? times : [...times, { began: off, ended: null }]
}
