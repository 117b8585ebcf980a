import 'server-only'
import crypto from 'node:crypto'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { digestToken } from '../sessions/token.ts'
import { isErased } from '../users/erased-users.ts'

/**
 * The service is about to be asked for an account with this wallet. Until it answers, the account may exist,
 * but nobody here knows its owner. If the answer never comes, this record says that the wallet must still be
 * proved. The result is the attempt's id.
 */
export async function recordSignUpAttempt(browserId: string, targetAddress: string): Promise<string> {
  const id = crypto.randomUUID()
  await pool().query(RECORD, [id, digestToken(browserId), targetAddress])
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
  await pool().query(SETTLE, [userUuid, targetAddress])
}

const RECORD = 'INSERT INTO sign_up_attempt (id, browser_digest, target_address) VALUES ($1, $2, $3)'

const REMOVE = 'DELETE FROM sign_up_attempt WHERE id = $1'

const SETTLE = `
  WITH attempt AS (
    DELETE FROM sign_up_attempt WHERE lower(target_address) = lower($2) RETURNING browser_digest, target_address, at
  )
  INSERT INTO sign_up (user_uuid, browser_digest, target_address, wallet_state, at)
  SELECT $1, browser_digest, target_address, 'waiting', at FROM attempt WHERE NOT ${isErased('$1::uuid')}
  ORDER BY at LIMIT 1
  ON CONFLICT (user_uuid) DO NOTHING`
