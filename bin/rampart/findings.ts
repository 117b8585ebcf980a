/** `skipped` says that something is not set up, or could not be checked because of an earlier failure. */
export type FindingState = 'ok' | 'warning' | 'failure' | 'skipped'

export interface Finding {
  readonly state: FindingState
  /** `found` says what was checked, and how it is. */
  readonly found: string
  /** `todo` is null where nothing is to be done, or where `found` says it. */
  readonly todo: string | null
}

export const ok = (found: string): Finding => ({ state: 'ok', found, todo: null })
export const skipped = (found: string): Finding => ({ state: 'skipped', found, todo: null })
export const warning = (found: string, todo: string | null = null): Finding => ({
  state: 'warning',
  found,
  todo,
})
export const failure = (found: string, todo: string | null = null): Finding => ({
  state: 'failure',
  found,
  todo,
})

/** Most certificates are renewed weeks before they end. */
const certificateDays = { warning: 14, failure: 3 }

export function judgeExpiry(found: string, validTo: number): Finding {
  const days = Math.floor((validTo - Date.now()) / dayMs)
  const line = `${found}; it is valid until ${new Date(validTo).toISOString().slice(0, 10)}.`
  const todo = 'Renew the certificate, and find out why that did not happen by itself.'
  if (days < certificateDays.failure) return failure(line, todo)
  return days < certificateDays.warning ? warning(line, todo) : ok(line)
}

const dayMs = 86_400_000
