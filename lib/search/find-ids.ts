import 'server-only'
import type pg from 'pg'
import type { Probe } from './rules/probes.ts'

/** The function queries the database or a replica of it. */
export type QueryFunction = <T extends pg.QueryResultRow>(sql: string, values: unknown[]) => Promise<T[]>

/** A partial id may match this many ids; with more, the result says that matches are missing. */
const maxIds = 200

/** This many ids are read for a text with both a beginning and an end, because many ids share one of the two. */
const maxScanned = 500

/**
 * The ids with this beginning, this end, or both are found by one index descent each, however many subjects
 * have them. `cut`: there may be more. `accountNumbers`: possible account numbers are found by a part too.
 */
export async function findIds(
  query: QueryFunction,
  { prefix, suffix }: Probe,
  accountNumbers: boolean,
): Promise<{ readonly values: readonly string[]; readonly cut: boolean }> {
  const most = prefix !== null && suffix !== null ? maxScanned : maxIds
  const byEnd = suffix !== null && suffix.length >= (prefix ?? '').replace(/^0x/, '').length
  const key = byEnd ? 'reverse(value)' : 'value'
  const from = byEnd ? [...suffix].reverse().join('') : (prefix ?? '')
  const looked = await query<{ value: string }>(distinctFrom(key, most + 1, accountNumbers), [
    from,
    `${from}${last}`,
  ])
  const values = looked
    .slice(0, most)
    .map(({ value }) => value)
    .filter((value) => value.startsWith(prefix ?? '') && value.endsWith(suffix ?? ''))
  return { values: values.slice(0, maxIds), cut: looked.length > most || values.length > maxIds }
}

/** For each prefix this finds one id that begins with it and is not an account number, by one index descent. */
export async function idsBeginningWith(query: QueryFunction, prefixes: readonly string[]): Promise<string[]> {
  if (prefixes.length === 0) return []
  const rows = await query<{ value: string }>(
    `SELECT DISTINCT first.value FROM unnest($1::text[]) AS beginning (text), LATERAL (
       SELECT value FROM identifier
       WHERE value >= beginning.text AND value < beginning.text || $2 AND ${isNoAccountNumber}
       ORDER BY value LIMIT 1) AS first`,
    [prefixes, last],
  )
  return rows.map(({ value }) => value)
}

/** For each suffix this finds one id that ends with it. */
export async function idsEndingWith(query: QueryFunction, suffixes: readonly string[]): Promise<string[]> {
  if (suffixes.length === 0) return []
  const rows = await query<{ value: string }>(
    `SELECT DISTINCT last.value FROM unnest($1::text[]) AS ending (text), LATERAL (
       SELECT value FROM identifier
       WHERE reverse(value) >= reverse(ending.text) AND reverse(value) < reverse(ending.text) || $2 AND ${isNoAccountNumber}
       ORDER BY reverse(value) LIMIT 1) AS last`,
    [suffixes, last],
  )
  return rows.map(({ value }) => value)
}

/** The range of a prefix ends with the highest character: the order is by bytes, `COLLATE "C"`. */
const last = '\u{10ffff}'

/** The query goes from one value to the next without reading all rows that share it. */
function distinctFrom(key: string, most: number, accountNumbers: boolean): string {
  const range = `${key} < $2 AND ${accountNumbers ? 'true' : isNoAccountNumber}`
  return `
  WITH RECURSIVE named AS (
    (SELECT ${key} AS key, 1 AS number FROM identifier WHERE ${key} >= $1 AND ${range} ORDER BY ${key} LIMIT 1)
    UNION ALL
    SELECT next.key, named.number + 1 FROM named, LATERAL (
      SELECT ${key} AS key FROM identifier WHERE ${key} > named.key AND ${range} ORDER BY ${key} LIMIT 1
    ) AS next WHERE named.number < ${most}
  )
  SELECT ${key === 'value' ? 'key' : 'reverse(key)'} AS value FROM named`
}

/**
 * Rows from before account numbers were marked hold them without a mark until they are rebuilt. These have at most 33
 * characters, though an IBAN may have 34 (ISO 13616); our ids, wallets and hashes are longer, or begin with `0x`.
 */
const isNoAccountNumber =
  "(value LIKE '0x%' OR length(value) > 33 AND value !~ '^[a-z]{2}[0-9]{2}[a-z0-9]{30}$')"
