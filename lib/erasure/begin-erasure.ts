import 'server-only'
import type { Transaction } from '#lib/db/in-transaction.ts'
import { stopWrites } from '#lib/projector/stop-writes.ts'
import { Refused } from '#lib/request/refusals.ts'
import { exactEmail } from '#lib/users/email-key.ts'
import { personTerms, type TermSource, termSources } from '#lib/users/person-terms.ts'
import { insertErasure } from './erasure-store.ts'
import { sharedInCase, toValue } from './person-values.ts'
import { type Removal, removals } from './tables.ts'

/**
 * Removes a person from the directory and from everything about signing in, and leaves the mark: from here on projectors
 * take the person out of what arrives. What was made of deliveries goes by `runErasure`. Throws `Refused`.
 * @returns the id of the mark
 */
export async function beginErasure(tx: Transaction, userUuid: string): Promise<string> {
  await refuseMembers(tx, userUuid)
  const { rows } = await tx.query<TermSource>(PERSON, [userUuid])
  const [person] = rows
  const email = person?.email ?? null
  const exact = [...(await sharedInCase(tx, userUuid, email === null ? [] : [email]))].map(exactEmail)
  const folded = [userUuid, exact.length > 0 ? null : email, person?.target_address]
  const values = folded.flatMap((value) => toValue(value) ?? [])
  await stopWrites(tx)
  const terms = person ? personTerms(person) : []
  const id = await insertErasure(tx, userUuid, { values, exact, terms, email })
  const given: Readonly<Record<Removal['of'], readonly unknown[]>> = {
    user: [userUuid],
    values: [values],
    addresses: [values, exact],
  }
  for (const { of, sql } of removals) await tx.query(sql, [...given[of]])
  return id
}

async function refuseMembers(tx: Transaction, userUuid: string) {
  const { rows } = await tx.query('SELECT FROM member WHERE user_uuid = $1 AND removed_at IS NULL', [
    userUuid,
  ])
  if (rows.length > 0) throw new Refused(isMember)
}

const isMember = {
  title: 'This person is a member of the team.',
  next: 'Nothing was changed. Remove them from the team first.',
}

const PERSON = `SELECT ${termSources} FROM person WHERE user_uuid = $1`
