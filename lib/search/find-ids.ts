import 'server-only'
import type pg from 'pg'
import { unionAll } from '#lib/transactions/row-condition.ts'
import type { Probe } from './rules/probes.ts'

/** The function queries the database or a replica of it. */
export type QueryFunction = <T extends pg.QueryResultRow>(sql: string, values: unknown[]) => Promise<T[]>

/** A partial id may match this many ids; with more, the result says that matches are missing. */
const maxIds = 200

/** This many ids are read for a text with both a beginning and an end, because many ids share one of the two. */
const maxScanned = 500

/** A part finds possible account numbers, and possible wallets, only when these are true. */
export interface FoundByPart {
  readonly accountNumbers: boolean
  readonly wallets: boolean
}

/**
 * The ids with this beginning, this end, or both are found by one index descent each, however many subjects
 * have them (`identifier_reverse_value_idx` for an end). `cut`: there may be more.
 */
export async function findIds(
  query: QueryFunction,
  { prefix, suffix }: Probe,
  byPart: FoundByPart,
): Promise<{ readonly values: readonly string[]; readonly cut: boolean }> {
  const most = prefix !== null && suffix !== null ? maxScanned : maxIds
  const byEnd = suffix !== null && suffix.length >= (prefix ?? '').replace(/^0x/, '').length
  const key = byEnd ? 'reverse(value)' : 'value'
  const from = byEnd ? [...suffix].reverse().join('') : (prefix ?? '')
  const searchable = await distinctFrom(query, key, from, most + 1, byPart)
  const values = searchable
    .slice(0, most)
    .filter((value) => value.startsWith(prefix ?? '') && value.endsWith(suffix ?? ''))
  return { values: values.slice(0, maxIds), cut: searchable.length > most || values.length > maxIds }
}

/** For each prefix this finds one id that begins with it and is not an account number, by one index descent. */
export async function idsBeginningWith(
  query: QueryFunction,
  prefixes: readonly string[],
  byPart: Pick<FoundByPart, 'wallets'>,
): Promise<string[]> {
  if (prefixes.length === 0) return []
  return firstOf(
    query,
    prefixes,
    byPart,
    (text) => `(
      SELECT value FROM identifier
      WHERE value >= ${text} AND value < ${text} || '${last}' AND ${isNoAccountNumber} ORDER BY value LIMIT 1)`,
  )
}

/** For each suffix this finds one id that ends with it. */
export async function idsEndingWith(
  query: QueryFunction,
  suffixes: readonly string[],
  byPart: Pick<FoundByPart, 'wallets'>,
): Promise<string[]> {
  if (suffixes.length === 0) return []
  return firstOf(
    query,
    suffixes,
    byPart,
    (text) => `(
      SELECT value FROM identifier
      WHERE reverse(value) >= reverse(${text}) AND reverse(value) < reverse(${text}) || '${last}' AND ${isNoAccountNumber}
      ORDER BY reverse(value) LIMIT 1)`,
  )
}

/** Each text has a query of its own, because a cluster has no LATERAL with a LIMIT. Decision 0143. */
async function firstOf(
  query: QueryFunction,
  texts: readonly string[],
  { wallets }: Pick<FoundByPart, 'wallets'>,
  select: (text: string) => string,
): Promise<string[]> {
  const queries = texts.map((_, i) => select(`$${i + 1}::text`))
  const rows = await query<{ value: string }>(`SELECT DISTINCT value FROM (${unionAll(queries)}) AS first`, [
    ...texts,
  ])
  return rows.flatMap(({ value }) => (wallets || isNoWallet(value) ? [value] : []))
}

/** The range of a prefix ends with the highest character: the order is by bytes, `COLLATE "C"`. */
const last = '\u{10ffff}'

/** So many rows are read first, and then at once: several may have the same key. */
const firstRows = 25
const rowsAtOnce = 1_000

/** The different keys of a range, in order. A key that fills a whole portion is passed over by the next one. */
async function distinctFrom(
  query: QueryFunction,
  key: string,
  from: string,
  most: number,
  { accountNumbers, wallets }: FoundByPart,
): Promise<string[]> {
  const found = new Set<string>()
  let limit = firstRows
  for (let after: string | null = null; ; ) {
    const rows: { key: string }[] = await query(
      `SELECT ${key} AS key FROM identifier
       WHERE ${key} ${after === null ? '>=' : '>'} $1 AND ${key} < $2 AND ${accountNumbers ? 'true' : isNoAccountNumber}
       ORDER BY ${key} LIMIT ${limit}`,
      [after ?? from, `${from}${last}`],
    )
    for (const row of rows) if (found.size < most && (wallets || isNoWallet(row.key))) found.add(row.key)
    after = rows.at(-1)?.key ?? null
    if (rows.length < limit || found.size >= most) break
    limit = rowsAtOnce
  }
  return [...found].map((value) => (key === 'value' ? value : [...value].reverse().join('')))
}

/**
 * Rows from before account numbers were marked hold them without a mark until they are rebuilt. These have at most 33
 * characters, though an IBAN may have 34 (ISO 13616); our ids, wallets and hashes are longer, or begin with `0x`.
 */
const isNoAccountNumber =
  "(value LIKE '0x%' OR length(value) > 33 AND value !~ '^[a-z]{2}[0-9]{2}[a-z0-9]{30}$')"

/**
 * A uuid has dashes, which no wallet has; a hash has 64 characters at least, which no wallet of a chain of ours has.
 * Written backwards they are the same. PostgreSQL does not ask this: it would read all rows of a wallet that half of
 * all subjects carry.
 */
const isNoWallet = (value: string) => value.includes('-') || value.length >= 64
