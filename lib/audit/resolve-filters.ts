import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { requirePermission } from '#lib/access/require-permission.ts'
import { lowerCase } from '#lib/platform/db/any-case.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { InvalidInput } from '#lib/platform/refusals.ts'
import { cleanText } from '#lib/platform/rules/pasted-text.ts'
import { findUuid } from '#lib/platform/rules/whole-ids.ts'
import type { AuditFilters } from './list-audit.ts'

/**
 * What somebody typed into the filters, as the address of the page may hold it: ids of ours alone, since addresses are written
 * into logs (decision 0051). Only those that are set. Throws `NotAllowed` and `InvalidInput`.
 */
export async function resolveFilters(
  caller: Caller,
  { who, about, ...others }: AuditFilters,
): Promise<Readonly<Record<string, string>>> {
  requirePermission(caller, 'read-audit')
  const named = {
    who: who === undefined ? undefined : await idOfActor(who),
    about: about === undefined ? undefined : await idOfTarget(about),
    ...others,
  }
  return Object.fromEntries(
    Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

async function idOfActor(typed: string): Promise<string> {
  const text = cleanText(typed)
  const uuid = findUuid(text)
  if (uuid !== null) return uuid
  const { rows } = await pool().query<{ id: string }>(
    `SELECT id FROM member WHERE ${lowerCase('name')} = ${lowerCase('$1')} LIMIT 2`,
    [text],
  )
  const [member, another] = rows
  if (another) throw new InvalidInput({ who: 'Several members have this name. Give the id of one.' })
  if (member) return member.id
  // Such as "command line".
  const { rowCount } = await pool().query('SELECT FROM audit WHERE actor = $1 LIMIT 1', [text])
  if (!rowCount) throw new InvalidInput({ who: 'Nobody in the team has this name. Give a whole id.' })
  return text
}

/** What the audit is about it names by ids and routes, never by an e-mail address or a number of an account. */
async function idOfTarget(typed: string): Promise<string> {
  const text = cleanText(typed)
  const uuid = findUuid(text)
  if (uuid !== null) return uuid
  const { rowCount } = await pool().query('SELECT FROM audit WHERE target = $1 LIMIT 1', [text])
  if (!rowCount)
    throw new InvalidInput({ about: 'Nothing here is about this. Give a whole id, such as that of a user.' })
  return text
}
