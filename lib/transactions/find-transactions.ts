import 'server-only'
import type { Caller } from '#lib/auth/caller.ts'
import { pool } from '#lib/db/pool.ts'
import { hasReplica, queryReplica } from '#lib/db/replica.ts'
import { textParameter } from '#lib/db/text-parameter.ts'
import { type Probe, readQuery } from '#lib/domain/read-query.ts'
import { visibleTo } from '#lib/events/visible-to.ts'
import { findPersonByEmail } from '#lib/users/find-person-by-email.ts'
import type { TransactionMatches } from './transaction-matches.ts'
import { type TransactionRecord, toTransactionRows } from './transaction-record.ts'

/** Transactions listed by one search. */
const most = 50

/** Ids that one probe looks at: more than that is no search but a list, and what shares a part is not looked through. */
const mostOfWhole = 1_000
const mostOfPart = 200

/**
 * Looks for whatever was pasted: a whole id, its beginning, its end, or both, or a user's e-mail. Only among what the
 * caller may see. Throws `NotAllowed`.
 */
export async function findTransactions(caller: Caller, text: string): Promise<TransactionMatches> {
  const { probes, person, words } = readQuery(textParameter(text))
  const owner = visibleTo(caller)
  const [named, owned] = await Promise.all([probeIdentifiers(probes), newestOf(person)])
  const { rows } = await pool().query<TransactionRecord>(
    `SELECT * FROM transaction WHERE subject_id = ANY($1) AND ($2::text IS NULL OR user_uuid = $2)
     ORDER BY started_at DESC, subject_id DESC LIMIT ${most + 1}`,
    [[...named, ...owned], owner],
  )
  const listed = await toTransactionRows(rows.slice(0, most))
  return {
    words,
    rows: listed,
    exact: listed.length === 1 && probes.some(namesOne) ? (listed[0]?.uuid ?? null) : null,
    more: rows.length > most,
  }
}

/** The subjects of the newest transactions of a user: they may have more than a probe looks at. */
async function newestOf(person: string | undefined): Promise<string[]> {
  if (person === undefined) return []
  const userUuid = person.includes('@') ? (await findPersonByEmail(person))?.userUuid : person
  const { rows } = await pool().query<{ subject_id: string }>(
    `SELECT subject_id FROM transaction WHERE user_uuid = $1
     ORDER BY started_at DESC, subject_id DESC LIMIT ${most + 1}`,
    [userUuid ?? null],
  )
  return rows.map((row) => row.subject_id)
}

/** A whole id, or head and tail as we print it. */
const namesOne = ({ whole, prefix, suffix }: Probe) => whole || (prefix !== null && suffix !== null)

/**
 * The subjects of transactions that carry such an id. Ids are only ever added, so a replica's are good; where it has
 * none yet, the database itself may.
 */
async function probeIdentifiers(probes: readonly Probe[]): Promise<Set<string>> {
  const look = async (query: typeof queryReplica) => {
    const found = await Promise.all(
      probes.map(identifierProbe).map(({ sql, values }) => query<{ subject_id: string }>(sql, values)),
    )
    return new Set(found.flat().map((row) => row.subject_id))
  }
  const hits = await look(queryReplica)
  return hits.size === 0 && hasReplica() ? look(queryDatabase) : hits
}

const queryDatabase: typeof queryReplica = async (sql, values) => (await pool().query(sql, values)).rows

/** The range of a prefix ends below the prefix and the last character there is: byte order, `COLLATE "C"`. */
const last = '\u{10ffff}'

/** Each end that is given is a range of an index; given both, the planner takes the one that holds fewer. */
function identifierProbe({ prefix, suffix, whole }: Probe): { sql: string; values: unknown[] } {
  const select = `SELECT subject_id FROM identifier WHERE starts_with(subject_id, 'transaction:')`
  if (whole) return { sql: `${select} AND value = $1 LIMIT ${mostOfWhole}`, values: [prefix] }
  const ends = [
    { column: 'value', text: prefix },
    { column: 'reverse(value)', text: suffix && [...suffix].reverse().join('') },
  ].filter(({ text }) => text !== null)
  const ranges = ends.map(({ column }, i) => `${column} >= $${2 * i + 1} AND ${column} < $${2 * i + 2}`)
  return {
    sql: `${select} AND ${ranges.join(' AND ')} LIMIT ${mostOfPart}`,
    values: ends.flatMap(({ text }) => [text, `${text}${last}`]),
  }
}
