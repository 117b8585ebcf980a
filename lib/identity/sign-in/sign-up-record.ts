import 'server-only'
import crypto from 'node:crypto'
import { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requireServiceUser } from '#lib/access/caller.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { lowerCase } from '#lib/platform/db/statements.ts'
import { digestToken } from '#lib/platform/keys/digests-and-seals.ts'
import { consumeLimit, readWait } from '#lib/platform/limits/limits.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { shareErasureLock } from '../users/erasure-lock.ts'
import { emailKey, isErased } from '../users/person-texts.ts'

/**
 * A wallet that was given at sign-up may or may not sign in here. `waiting`: nobody has proved yet that they
 * read the account's mail and know this wallet.
 */
export type WalletState = 'waiting' | 'usable' | 'refused'

interface NewSignUp {
  readonly userUuid: string
  readonly browserId: string
  /** Null without a wallet. */
  readonly targetAddress: string | null
  readonly walletState: WalletState
}

/** The browser and the wallet of a new account are recorded, unless the user was erased. */
export async function recordSignUp(tx: Transaction, signUp: NewSignUp): Promise<void> {
  const { userUuid, browserId, targetAddress, walletState } = signUp
  const state = targetAddress === null ? null : walletState
  await shareErasureLock(tx, userUuid)
  await tx.query(RECORD, [userUuid, digestToken(browserId), targetAddress, state])
}

/** This person signed up in this browser. */
export async function isSignUpBrowser(userUuid: string, browserId: string): Promise<boolean> {
  const { rows } = await pool().query(FIND_BROWSER, [userUuid, digestToken(browserId)])
  return rows.length > 0
}

/** This wallet may sign in, unless it was given at sign-up here and is not confirmed. */
export async function isWalletUsable(userUuid: string, address: string): Promise<boolean> {
  const { rows } = await pool().query<{ wallet_state: WalletState | null }>(FIND_STATE, [userUuid, address])
  return rows.every(({ wallet_state }) => wallet_state === 'usable')
}

/**
 * A code from the account's mail was typed in the browser that signed up: the person who signed the wallet's
 * message there also reads the mail. The result says if a wallet was waiting for that.
 */
export async function confirmWallet(tx: Transaction, userUuid: string, browserId: string): Promise<boolean> {
  const { rowCount } = await tx.query(CONFIRM, [userUuid, digestToken(browserId)])
  return rowCount === 1
}

const RECORD = `
  INSERT INTO sign_up (user_uuid, browser_digest, target_address, wallet_state)
  SELECT $1, $2, $3, $4 WHERE NOT ${isErased('$1::uuid')}
  ON CONFLICT (user_uuid) DO NOTHING`

const FIND_BROWSER = 'SELECT FROM sign_up WHERE user_uuid = $1 AND browser_digest = $2'

const FIND_STATE = `
  SELECT wallet_state FROM sign_up WHERE user_uuid = $1 AND ${lowerCase('target_address')} = ${lowerCase('$2')}`

const CONFIRM = `
  UPDATE sign_up SET wallet_state = 'usable', decided_at = now()
  WHERE user_uuid = $1 AND browser_digest = $2 AND wallet_state = 'waiting'`

/** Somebody gave this wallet at sign-up, in a browser in which nobody has read the account's mail since. */
interface SignUpWallet {
  readonly address: string
  /** ISO 8601. */
  readonly givenAt: string
}

/** The person has yet to decide about this wallet; null when there is none. */
export async function findSignUpWallet({ userUuid }: Caller): Promise<SignUpWallet | null> {
  const { rows } = await pool().query<{ target_address: string; at: Date }>(FIND, [userUuid])
  const [row] = rows
  return row ? { address: row.target_address, givenAt: row.at.toISOString() } : null
}

export const DecideSignUpWalletSchema = z.object({ decision: z.enum(['usable', 'refused']) })

/** The person decides if the wallet given at sign-up may sign in here. Throws `SignInAgain` and `Refused`. */
export async function decideSignUpWallet(
  caller: Caller,
  { decision }: z.output<typeof DecideSignUpWalletSchema>,
  source: CallSource,
): Promise<{ readonly decision: 'usable' | 'refused' }> {
  requireFreshSignIn(caller)
  const target = requireServiceUser(caller)
  await inTransaction(pool(), async (tx) => {
    const { rowCount } = await tx.query(DECIDE, [target, decision])
    if (rowCount === 0) throw new Refused('wallet-decided')
    const entry = { actor: caller, action: 'sign-up.decide-wallet', target } as const
    await recordAudit(tx, { ...entry, outcome: 'done', details: { decision } }, source)
  })
  return { decision }
}

const FIND = `
  SELECT target_address, at FROM sign_up
  WHERE user_uuid = $1 AND wallet_state = 'waiting' AND target_address IS NOT NULL`

const DECIDE = `
  UPDATE sign_up SET wallet_state = $2, decided_at = now()
  WHERE user_uuid = $1 AND wallet_state = 'waiting'`

/**
 * The service is about to be asked for an account with this wallet. Until it answers, the account may exist,
 * but nobody here knows its owner. If the answer never comes, this record says that the wallet must still be
 * proved. The result is the attempt's id.
 */
export async function recordSignUpAttempt(browserId: string, targetAddress: string): Promise<string> {
  const id = crypto.randomUUID()
  await pool().query(RECORD_ATTEMPT, [id, digestToken(browserId), targetAddress])
  return id
}

/** The service has answered, so the result of the attempt is known. */
export async function removeSignUpAttempt(tx: Transaction, id: string | null): Promise<void> {
  if (id !== null) await tx.query(REMOVE, [id])
}

/**
 * The service has named the user of this wallet. If nobody here knows where the account was made, the first
 * attempt with this wallet counts as its origin, and the wallet waits for its proof. Every attempt had the
 * wallet's key. Attempts of an erased person are deleted.
 */
export async function settleSignUpAttempts(userUuid: string, targetAddress: string): Promise<void> {
  await inTransaction(pool(), async (tx) => {
    await shareErasureLock(tx, userUuid)
    await tx.query(SETTLE, [userUuid, targetAddress])
  })
}

const RECORD_ATTEMPT = 'INSERT INTO sign_up_attempt (id, browser_digest, target_address) VALUES ($1, $2, $3)'

const REMOVE = 'DELETE FROM sign_up_attempt WHERE id = $1'

const SETTLE = `
  WITH attempt AS (
    DELETE FROM sign_up_attempt WHERE lower(target_address) = lower($2) RETURNING browser_digest, target_address, at
  )
  INSERT INTO sign_up (user_uuid, browser_digest, target_address, wallet_state, at)
  SELECT $1, browser_digest, target_address, 'waiting', at FROM attempt WHERE NOT ${isErased('$1::uuid')}
  ORDER BY at LIMIT 1
  ON CONFLICT (user_uuid) DO NOTHING`

/** This person has signed in with this browser before. */
export async function isKnownBrowser(userUuid: string, browserId: string): Promise<boolean> {
  const { rows } = await pool().query(FIND_KNOWN, [userUuid, digestToken(browserId)])
  return rows.length > 0
}

/** The browser is known for this person from now on. */
export async function rememberBrowser(tx: Transaction, userUuid: string, browserId: string): Promise<void> {
  await tx.query(REMEMBER, [userUuid, digestToken(browserId)])
}

const FIND_KNOWN = 'SELECT FROM known_browser WHERE user_uuid = $1 AND browser_digest = $2'

const REMEMBER = `
  INSERT INTO known_browser (user_uuid, browser_digest) VALUES ($1, $2)
  ON CONFLICT (user_uuid, browser_digest) DO UPDATE SET seen_at = now()`

/**
 * A sign-up with this address in this browser is remembered for a week, whether or not it made an account, so
 * that later limits do not reveal which. Three browsers a week for one address; the next count as strangers.
 */
export async function noteSignUpBrowser(email: string, browserId: string): Promise<void> {
  if (await hasSignedUpHere(email, browserId)) return
  if ((await consumeLimit('sign-up-browsers', emailKey(email))) > 0) return
  await consumeLimit('signed-up-here', signUpKey(email, browserId))
}

/** A used limit of one means that the sign-up was remembered. */
export const hasSignedUpHere = async (email: string, browserId: string): Promise<boolean> =>
  (await readWait('signed-up-here', signUpKey(email, browserId))) > 0

/** Attempts of such a browser are counted by this key, for the address in any case. */
export const signUpKey = (email: string, browserId: string) => `${emailKey(email)} ${browserId}`
