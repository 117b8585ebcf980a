import 'server-only'
import type { SignInRefusal } from '../rules/sign-in-refusal.ts'
import { digestToken } from '../sessions/token.ts'
import { emailKey } from '../users/email-key.ts'

/** Milliseconds for which a refusal can be read, and the most refusals kept. */
const keptForMs = 10 * 60_000
const maxKept = 1_000

/**
 * Records that the service refused or failed after this browser read that a code is on its way. Kept in this process
 * only.
 */
export function recordLateRefusal(browserId: string, email: string, why: SignInRefusal): void {
  const notes = all()
  notes.set(keyOf(browserId, email), { why, until: Date.now() + keptForMs })
  const oldest = notes.keys().next().value
  if (notes.size > maxKept && oldest !== undefined) notes.delete(oldest)
}

/** What was noted for this browser and address; null when nothing was. */
export function findLateRefusal(browserId: string, email: string): SignInRefusal | null {
  const note = all().get(keyOf(browserId, email))
  return note && note.until > Date.now() ? note.why : null
}

/** The next request starts over. */
export function deleteLateRefusal(browserId: string, email: string): void {
  all().delete(keyOf(browserId, email))
}

type Notes = Map<string, { readonly why: SignInRefusal; readonly until: number }>

/** Shared by all that Next bundles apart. */
function all(): Notes {
  globalThis.rampartLateRefusals ??= new Map()
  return globalThis.rampartLateRefusals
}

const keyOf = (browserId: string, email: string) =>
  `${Buffer.from(digestToken(browserId)).toString('hex')} ${emailKey(email)}`

declare global {
  var rampartLateRefusals: Notes | undefined
}
