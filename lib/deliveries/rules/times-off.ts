/** A time in which an endpoint got nothing; ISO 8601, `until` null while it lasts. */
export interface TimeOff {
  readonly from: string
  readonly until: string | null
}

interface State {
  readonly status: string
  /** When it was last seen in another state before; null when it was never seen before. */
  readonly after: string | null
  readonly by: string
  readonly until: string | null
}

/**
 * Each time in which an endpoint was not active, the latest first. One that the service switched off and somebody disabled
 * afterwards was off all the time.
 * @param states in which it was seen, the latest first
 */
export function timesOff(states: readonly State[]): TimeOff[] {
  const times: TimeOff[] = []
  let until: string | null | undefined
  for (const [index, state] of states.entries()) {
    if (!isOff(state)) continue
    if (!isOff(states[index - 1])) until = state.until
    if (!isOff(states[index + 1])) times.push({ from: state.after ?? state.by, until: until ?? null })
  }
  return times
}

const isOff = (state: State | undefined) => state !== undefined && state.status !== 'active'
