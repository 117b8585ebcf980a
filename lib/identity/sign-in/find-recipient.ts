import 'server-only'
import { keyedDigests } from '#lib/platform/keys/hmac.ts'
import { cleanText } from '#lib/platform/rules/pasted-text.ts'
import { findUsersByEmail } from '../users/find-users.ts'
import { emailKey } from '../users/person-texts.ts'
import { isKnownBrowser } from './known-browsers.ts'

/** A code for an e-mail address is sent to this person, if there is one. */
export interface Recipient {
  /** `userUuid` is a person's id; an unknown address always gets the same id, which nobody has. */
  readonly userUuid: string
  readonly isKnown: boolean
  /** The address is as it was typed, cleaned. */
  readonly email: string
  /** `addressId` is that of the address in any case of its letters, whoever has it now or later. */
  readonly addressId: string
  /** The list also has the ids under each older `NEXTAUTH_SECRET`. */
  readonly addressIds: readonly string[]
}

/**
 * An unknown address is handled exactly like a known one, and strangers are counted by the address alone:
 * messages, timing and waits reveal neither who has an address nor that a sign-up made an account.
 */
export async function findRecipient(typed: string, browserId: string | null): Promise<Recipient> {
  const email = cleanText(typed)
  const userUuid = await findMeant(await findUsersByEmail(email), browserId)
  const [addressId, ...older] = addressIdsOf(email)
  const addressIds = [addressId, ...older]
  return { userUuid: userUuid ?? addressId, isKnown: userUuid !== null, email, addressId, addressIds }
}

/**
 * When several addresses differ only in case, the person who has signed in with this browser is meant, else the
 * oldest: a sign-up with another spelling of somebody's address must not keep them out.
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
