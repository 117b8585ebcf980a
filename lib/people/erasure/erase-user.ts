import 'server-only'
import type pg from 'pg'
import { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { personTerms, type TermSource, termSources } from '#lib/identity/users/person-texts.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { ReasonSchema, uuidField } from '#lib/platform/forms/fields.ts'
import { logOf } from '#lib/platform/log.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { stopWrites } from '#lib/timeline/projector/shard-leases.ts'
import { insertErasure, listUnfinished } from './erasure-store.ts'
import { collectValues, parametersOf, toValue } from './person-values.ts'
import { runErasure } from './run-erasure.ts'
import { removals } from './tables.ts'

const log = logOf('erasure')

export const EraseUserSchema = z.object({ userUuid: uuidField('This is not a uuid.'), reason: ReasonSchema })

/**
 * This erases a person: at once from the directory and from signing in, and from everything that was received as
 * soon as it was read through. It cannot be undone. Throws `NotAllowed`, `SignInAgain` and `Refused`.
 */
export async function eraseUser(
  caller: Caller,
  { userUuid, reason }: z.output<typeof EraseUserSchema>,
  source: CallSource,
): Promise<{ readonly erasureId: string }> {
  requirePermission(caller, 'manage-people')
  requireFreshSignIn(caller)
  const erasureId = await inTransaction(pool(), async (tx) => {
    const id = await beginErasure(tx, userUuid)
    // The audit is kept, so it names the mark and not the person.
    const entry = { actor: caller, action: 'user.erase', target: id, outcome: 'begun', reason } as const
    await recordAudit(tx, entry, source)
    await tellAdmins(tx, { kind: 'person-erased', actor: caller, about: id, reason })
    return id
  })
  launchErasure(erasureId)
  return { erasureId }
}

/** The erasure runs in this process, beside everything else. The watcher resumes one that was interrupted. */
function launchErasure(erasureId: string): void {
  void runErasure(pool(), erasureId).catch((error: unknown) =>
    log.error({ erasure: erasureId, err: error }, 'An erasure was interrupted; it goes on within a minute'),
  )
}

/**
 * This removes a person from the directory and from everything about signing in, and leaves the mark: from now on
 * projectors remove the person from what arrives. `runErasure` removes the rest. Returns the id of the mark. Throws
 * `Refused`.
 */
export async function beginErasure(tx: Transaction, userUuid: string): Promise<string> {
  await refuseMembers(tx, userUuid)
  const { rows } = await tx.query<TermSource>(PERSON, [userUuid])
  const [person] = rows
  const email = person?.email ?? null
  const wallet = toValue(person?.target_address)
  const found = { userUuid, values: new Set([userUuid]), exact: new Set<string>() }
  if (wallet !== null) found.values.add(wallet)
  await collectValues(tx, found, [], email)
  const [values, exact] = [[...found.values], [...found.exact]]
  await stopWrites(tx)
  const terms = person ? personTerms(person) : []
  const id = await insertErasure(tx, userUuid, { values, exact, terms, email })
  const given = parametersOf(userUuid, { values, exact })
  for (const { of, sql } of removals) await tx.query(sql, [...given[of]])
  return id
}

async function refuseMembers(tx: Transaction, userUuid: string) {
  const { rows } = await tx.query('SELECT FROM member WHERE user_uuid = $1 AND removed_at IS NULL', [
    userUuid,
  ])
  if (rows.length > 0) throw new Refused('person-is-member')
}

const PERSON = `SELECT ${termSources} FROM person WHERE user_uuid = $1`

/** Erasures whose runner has died go on. */
export async function resumeErasures(pool: pg.Pool): Promise<void> {
  for (const id of await listUnfinished(pool)) launchErasure(id)
}
