import 'server-only'
import { z } from 'zod'
import type { Caller } from '#lib/access/caller.ts'
import type { CallSource } from '#lib/access/request-context.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { ReasonSchema } from '#lib/platform/forms/reason.ts'
import { uuidField } from '#lib/platform/forms/uuid-field.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { endSessionsOf } from './end-sessions.ts'
import type { SessionOwner } from './list-sessions.ts'

/** What an admin says of sessions to end, beside whose they are. */
export const EndSessionsSchema = z.object({
  /** All of them, when none is named. */
  sessionId: z.preprocess(
    (given) => (given === '' ? undefined : given),
    uuidField('This is not the id of a session.').optional(),
  ),
  reason: ReasonSchema,
})

/**
 * Ends one session of somebody, or all of them, at once. For use cases that have checked who asks; none of them asks for a
 * fresh sign-in: whoever sees something wrong is not to wait. Throws `Refused`.
 * @param findOwner null when there is nobody
 */
export async function endSessionsAsAdmin(
  caller: Caller,
  findOwner: (tx: Transaction) => Promise<SessionOwner | null>,
  { sessionId, reason }: z.output<typeof EndSessionsSchema>,
  source: CallSource,
): Promise<{ readonly ended: number }> {
  const ended = await inTransaction(pool(), async (tx) => {
    const owner = await findOwner(tx)
    if (!owner) return 0
    const only = sessionId === undefined ? {} : { only: sessionId }
    return endSessionsOf(tx, owner, { actor: caller, why: 'by-admin', reason, ...only }, source)
  })
  if (ended === 0) throw new Refused(nothing)
  return { ended }
}

const nothing = {
  title: 'There is no such session any more.',
  next: 'Reload the page to see where this person is signed in.',
}
