import 'server-only'
import { z } from 'zod'
import type { Caller } from '#lib/access/caller.ts'
import type { CallSource } from '#lib/access/request-context.ts'
import { requireFreshSignIn } from '#lib/access/require-fresh-sign-in.ts'
import { requireServiceUser } from '#lib/access/require-service-user.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { Refused } from '#lib/platform/refusals.ts'

/** A wallet that somebody gave when the account was made, in a browser in which nobody has read the account's mail since. */
export interface SignUpWallet {
  readonly address: string
  /** ISO 8601. */
  readonly givenAt: string
}

/** The wallet about which this person has yet to decide; null when there is none. */
export async function findSignUpWallet({ userUuid }: Caller): Promise<SignUpWallet | null> {
  const { rows } = await pool().query<{ target_address: string; at: Date }>(FIND, [userUuid])
  const [row] = rows
  return row ? { address: row.target_address, givenAt: row.at.toISOString() } : null
}

export const DecideSignUpWalletSchema = z.object({ decision: z.enum(['usable', 'refused']) })

/** Decides whether the wallet given at sign-up may sign in here. Throws `SignInAgain` and `Refused`. */
export async function decideSignUpWallet(
  caller: Caller,
  { decision }: z.output<typeof DecideSignUpWalletSchema>,
  source: CallSource,
): Promise<{ readonly decision: 'usable' | 'refused' }> {
  requireFreshSignIn(caller)
  const target = requireServiceUser(caller)
  await inTransaction(pool(), async (tx) => {
    const { rowCount } = await tx.query(DECIDE, [target, decision])
    if (rowCount === 0) throw new Refused(nothingToDecide)
    const entry = { actor: caller, action: 'sign-up.decide-wallet', target } as const
    await recordAudit(tx, { ...entry, outcome: 'done', details: { decision } }, source)
  })
  return { decision }
}

const FIND = `SELECT target_address, at FROM sign_up WHERE user_uuid = $1 AND wallet_state = 'waiting'`

const DECIDE = `
  UPDATE sign_up SET wallet_state = $2, decided_at = now()
  WHERE user_uuid = $1 AND wallet_state = 'waiting'`

const nothingToDecide = {
  title: 'There is nothing to decide any more.',
  next: 'It was decided elsewhere. Reload the page.',
}
