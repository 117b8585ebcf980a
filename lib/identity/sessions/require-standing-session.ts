import 'server-only'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { SignInAgain } from '#lib/platform/refusals.ts'

/**
 * For what somebody leaves behind that must end with their session or role: whoever ends the session meanwhile waits for
 * this transaction, and then finds what it has left. Throws `SignInAgain` when the session has ended.
 */
export async function requireStandingSession(tx: Transaction, sessionId: string): Promise<void> {
  const { rows } = await tx.query<{ ended: boolean }>(
    'SELECT ended_at IS NOT NULL AS ended FROM session WHERE id = $1 FOR SHARE',
    [sessionId],
  )
  if (rows[0]?.ended) throw new SignInAgain()
}
