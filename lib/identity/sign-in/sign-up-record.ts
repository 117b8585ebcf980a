import 'server-only'
import { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requireServiceUser } from '#lib/access/caller.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { lowerCase } from '#lib/platform/db/sql-text.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { digestToken } from '../sessions/token.ts'

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

/** The browser and the wallet of a new account are recorded. */
export async function recordSignUp(tx: Transaction, signUp: NewSignUp): Promise<void> {
  const { userUuid, browserId, targetAddress, walletState } = signUp
  const state = targetAddress === null ? null : walletState
  await tx.query(RECORD, [userUuid, digestToken(browserId), targetAddress, state])
}

/** This person signed up in this browser. */
export async function isSignUpBrowser(userUuid: string, browserId: string): Promise<boolean> {
  const { rows } = await pool().query(FIND_BROWSER, [userUuid, digestToken(browserId)])
  return rows.length > 0
}

/** This wallet may sign in, unless it was given at sign-up here and is not confirmed. */
export async function isWalletUsable(userUuid: string, address: string): Promise<boolean> {
  const { rows } = await pool().query<{ wallet_state: WalletState }>(FIND_STATE, [userUuid, address])
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
  INSERT INTO sign_up (user_uuid, browser_digest, target_address, wallet_state) VALUES ($1, $2, $3, $4)
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

const FIND = `SELECT target_address, at FROM sign_up WHERE user_uuid = $1 AND wallet_state = 'waiting'`

const DECIDE = `
  UPDATE sign_up SET wallet_state = $2, decided_at = now()
  WHERE user_uuid = $1 AND wallet_state = 'waiting'`
