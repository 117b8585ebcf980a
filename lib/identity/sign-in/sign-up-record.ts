import 'server-only'
import { lowerCase } from '#lib/platform/db/any-case.ts'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { digestToken } from '../sessions/token.ts'

/**
 * Whether the wallet that was given at sign-up may sign in here. `waiting`: nobody has shown yet that they read the
 * account's mail and know this wallet.
 */
export type WalletState = 'waiting' | 'usable' | 'refused'

export interface NewSignUp {
  readonly userUuid: string
  readonly browserId: string
  /** Null without a wallet. */
  readonly targetAddress: string | null
  readonly walletState: WalletState
}

/** Remembers where an account was made, and with which wallet. */
export async function recordSignUp(tx: Transaction, signUp: NewSignUp): Promise<void> {
  const { userUuid, browserId, targetAddress, walletState } = signUp
  const state = targetAddress === null ? null : walletState
  await tx.query(RECORD, [userUuid, digestToken(browserId), targetAddress, state])
}

/** Whether this person signed up in this browser. */
export async function isSignUpBrowser(userUuid: string, browserId: string): Promise<boolean> {
  const { rows } = await pool().query(FIND_BROWSER, [userUuid, digestToken(browserId)])
  return rows.length > 0
}

/** Whether this wallet, if it was given when the account was made here, may sign in. */
export async function isWalletUsable(userUuid: string, address: string): Promise<boolean> {
  const { rows } = await pool().query<{ wallet_state: WalletState }>(FIND_STATE, [userUuid, address])
  return rows.every(({ wallet_state }) => wallet_state === 'usable')
}

/**
 * A code from the account's mail was typed in the browser that signed up: whoever signed the wallet's message there reads
 * the mail, too. Answers whether a wallet was waiting for that.
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
