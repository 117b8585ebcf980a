import 'server-only'
import { keyedDigest } from '#lib/keys/keyed-digest.ts'
import { emailKey } from '#lib/users/email-key.ts'
import { findUserByEmail } from '#lib/users/find-user-by-email.ts'

/** Whom a code for an e-mail address is sent to, if anybody. */
export interface Recipient {
  /** Of a person; for an address that nobody has, an id that nobody has, always the same. */
  readonly userUuid: string
  readonly isKnown: boolean
}

/**
 * Who has this address. An address that nobody has is handled exactly like a known one: it has an id that is counted and
 * remembered, so that messages, timing and waits do not reveal the difference.
 */
export async function findRecipient(email: string): Promise<Recipient> {
  const person = await findUserByEmail(email)
  return { userUuid: person?.userUuid ?? decoyUuid(email), isKnown: person !== null }
}

function decoyUuid(email: string): string {
  const hex = keyedDigest('stand-in', emailKey(email)).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
