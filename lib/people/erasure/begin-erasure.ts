import 'server-only'
import { personTerms, type TermSource, termSources } from '#lib/identity/users/person-texts.ts'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { stopWrites } from '#lib/timeline/projector/shard-leases.ts'
import { collectValues } from './collect-values.ts'
import { insertErasure } from './erasure-store.ts'
import { toValue } from './person-values.ts'
import { parametersOf } from './statement-parameters.ts'
import { removals } from './tables.ts'

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
  if (rows.length > 0) throw new Refused(isMember)
}

const isMember = {
  title: 'This person is a member of the team.',
  next: 'Nothing was changed. Remove them from the team first.',
}

const PERSON = `SELECT ${termSources} FROM person WHERE user_uuid = $1`
