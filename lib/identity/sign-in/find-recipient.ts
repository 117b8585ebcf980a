import 'server-only'
import { keyedDigests } from '#lib/platform/keys/hmac.ts'
import { cleanText } from '#lib/platform/rules/pasted-text.ts'
import { findUsersByEmail } from '../users/find-users.ts'
import { emailKey } from '../users/person-texts.ts'
import { isKnownBrowser } from './known-browsers.ts'

/** Whom a code for an e-mail address is sent to, if anybody. */
export interface Recipient {
  /** Of a person; for an address that nobody has, an id that nobody has, always the same. */
  readonly userUuid: string
  readonly isKnown: boolean
  /** The address that was typed, cleaned. */
  readonly email: string
  /** Of the address in any case, whoever has it or comes to have it. */
  readonly addressId: string
  /** The same, and what it was under each older `NEXTAUTH_SECRET`. */
  readonly addressIds: readonly string[]
}

/**
 * Who has this address. An address that nobody has is handled exactly like a known one, and what strangers see is counted and
 * remembered by the address alone: messages, timing and waits reveal neither who has one nor that a sign-up made an account.
 */
export async function findRecipient(typed: string, browserId: string | null): Promise<Recipient> {
  const email = cleanText(typed)
  const userUuid = await findMeant(await findUsersByEmail(email), browserId)
  const [addressId, ...older] = addressIdsOf(email)
  const addressIds = [addressId, ...older]
  return { userUuid: userUuid ?? addressId, isKnown: userUuid !== null, email, addressId, addressIds }
}

/**
 * Of several whose addresses differ in case only, the one who has signed in with this browser, else the one who was there
 * first: who signs up with another spelling of somebody's address keeps them out of nothing.
 */
async function findMeant(users: readonly string[], browserId: string | null): Promise<string | null> {
  const [first = null, another] = users
  if (another === undefined || browserId === null) return first
  const isKnown = await Promise.all(users.map((userUuid) => isKnownBrowser(userUuid, browserId)))
  const [known, second] = users.filter((_, index) => isKnown[index])
  return known && !second ? known : first
}

function addressIdsOf(email: string): readonly [string, ...string[]] {
  const [newest, ...older] = keyedDigests('stand-in', emailKey(email))
  return [toStandIn(newest), ...older.map(toStandIn)]
}

function toStandIn(digest: Buffer): string {
  const hex = digest.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
