import 'server-only'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { digestToken, keyedDigests } from '#lib/platform/keys/digests-and-seals.ts'
import { cleanText } from '#lib/platform/rules/pasted-text.ts'
import { findUsersByEmail } from '../users/directory.ts'
import { emailKey } from '../users/person-texts.ts'
import { isKnownBrowser } from './sign-up-record.ts'

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

/** A browser must ask for a new code after this many wrong guesses. */
const guessesPerCode = 5

/**
 * - `yes`: give it to the service.
 * - `not-asked`: this browser asked for no code for this address within the last half hour.
 * - `replaced`: another browser has asked since. The service may have made this browser's code worthless, and a guess
 *   would count against the code that the other one waits for. Or this browser asked when the address was another's.
 * - `used-up`: five were wrong.
 */
type GuessAllowance = 'yes' | 'not-asked' | 'replaced' | 'used-up'

/** The browser was about to get a code; `before` is its earlier request. */
export interface RecordedCodeRequest {
  readonly addressId: string
  readonly browserId: string
  readonly sentAt: Date
  readonly before: { readonly sentAt: Date; readonly wrongGuesses: number } | null
}

/**
 * A code is being sent for this browser and may be typed only here. The request is found by the address alone,
 * in any case, so that nobody sees whether a sign-up gave the address to somebody meanwhile.
 */
export async function recordCodeRequest(
  { addressId, userUuid }: Recipient,
  browserId: string,
): Promise<RecordedCodeRequest> {
  const { rows } = await pool().query<RecordedRow>(RECORD, [addressId, digestToken(browserId), userUuid])
  const [row] = rows
  if (!row) throw new Error('The request for a code was not recorded')
  const { sent_at: sentAt, sent_before: sentBefore, wrong_before: wrongGuesses } = row
  const before = sentBefore === null ? null : { sentAt: sentBefore, wrongGuesses: wrongGuesses ?? 0 }
  return { addressId, browserId, sentAt, before }
}

interface RecordedRow {
  readonly sent_at: Date
  readonly sent_before: Date | null
  readonly wrong_before: number | null
}

/** The service has sent the code now. */
export async function confirmCodeRequest(tx: Transaction, recorded: RecordedCodeRequest): Promise<void> {
  const { addressId, browserId, sentAt } = recorded
  await tx.query(CONFIRM, [addressId, digestToken(browserId), sentAt])
}

/** No code was sent: the earlier one counts again, with the guesses made meanwhile. */
export async function takeBackCodeRequest(tx: Transaction, recorded: RecordedCodeRequest): Promise<void> {
  const { addressId, browserId, sentAt, before } = recorded
  const row = [addressId, digestToken(browserId), sentAt]
  if (before === null) await tx.query(TAKE_BACK, row)
  else await tx.query(RESTORE, [...row, before.sentAt, before.wrongGuesses])
}

/**
 * One guess of this browser is counted. `keepsCode`: this person has signed in or up with this browser before,
 * so no other browser can take its code away.
 */
export async function countGuess(
  { addressIds, isKnown, userUuid }: Recipient,
  browserId: string,
  keepsCode: boolean,
): Promise<GuessAllowance> {
  const { rows } = await pool().query<GuessRow>(COUNT, [
    addressIds,
    digestToken(browserId),
    guessesPerCode,
    isKnown ? [userUuid] : addressIds,
  ])
  const [row] = rows
  if (!row) return 'not-asked'
  if (row.used_up) return 'used-up'
  return row.of_another || (row.replaced && !keepsCode) ? 'replaced' : 'yes'
}

/** The service did not judge the guess. */
export async function uncountGuess({ addressIds }: Recipient, browserId: string): Promise<void> {
  await pool().query(UNCOUNT, [addressIds, digestToken(browserId)])
}

interface GuessRow {
  readonly used_up: boolean
  readonly of_another: boolean
  readonly replaced: boolean
}

/** The code was used. */
export async function removeCodeRequest(tx: Transaction, userUuid: string, browserId: string): Promise<void> {
  await tx.query(REMOVE, [userUuid, digestToken(browserId)])
}

/** The latest code for this browser was sent at this time, if within the last half hour. */
export async function findCodeRequest(
  addressIds: readonly string[],
  browserId: string,
): Promise<Date | null> {
  const { rows } = await pool().query<{ sent_at: Date }>(FIND, [addressIds, digestToken(browserId)])
  return rows[0]?.sent_at ?? null
}

const RECORD = `
  WITH earlier AS (SELECT sent_at, wrong_guesses FROM code_request WHERE address_id = $1 AND browser_digest = $2)
  INSERT INTO code_request (address_id, browser_digest, user_uuid, sent_at) VALUES ($1, $2, $3, clock_timestamp())
  ON CONFLICT (address_id, browser_digest) DO UPDATE SET
    user_uuid = EXCLUDED.user_uuid, sent_at = EXCLUDED.sent_at, wrong_guesses = 0
  RETURNING sent_at, (SELECT sent_at FROM earlier) AS sent_before, (SELECT wrong_guesses FROM earlier) AS wrong_before`

const CONFIRM = `
  UPDATE code_request SET sent_at = clock_timestamp()
  WHERE address_id = $1 AND browser_digest = $2 AND sent_at = $3`

const TAKE_BACK = 'DELETE FROM code_request WHERE address_id = $1 AND browser_digest = $2 AND sent_at = $3'

const RESTORE = `
  UPDATE code_request SET sent_at = $4, wrong_guesses = wrong_guesses + $5
  WHERE address_id = $1 AND browser_digest = $2 AND sent_at = $3`

/** A browser that asked before and after a change of `NEXTAUTH_SECRET` has two rows; the later one counts. */
const LATEST = `
  SELECT address_id, sent_at FROM code_request
  WHERE address_id = ANY($1::uuid[]) AND browser_digest = $2 AND sent_at > now() - interval '30 minutes'
  ORDER BY sent_at DESC LIMIT 1`

const COUNT = `
  UPDATE code_request AS own SET wrong_guesses = wrong_guesses + 1
  WHERE address_id = (SELECT address_id FROM (${LATEST}) AS latest) AND browser_digest = $2
  RETURNING wrong_guesses > $3 AS used_up, user_uuid <> ALL($4::uuid[]) AS of_another,
    EXISTS (SELECT FROM code_request AS other
            WHERE other.user_uuid = ANY($4::uuid[]) AND other.browser_digest <> $2 AND other.sent_at > own.sent_at) AS replaced`

const UNCOUNT = `
  UPDATE code_request SET wrong_guesses = GREATEST(wrong_guesses - 1, 0)
  WHERE address_id = (SELECT address_id FROM (${LATEST}) AS latest) AND browser_digest = $2`

const REMOVE = 'DELETE FROM code_request WHERE user_uuid = $1 AND browser_digest = $2'

const FIND = `SELECT sent_at FROM (${LATEST}) AS latest`
