import 'server-only'
import { z } from 'zod'
import { pool } from '../db/pool.ts'
import { CursorRefused } from '../refusals.ts'

/** How many rows a page has: what was asked for, from 1 to 200, 50 by default. */
export const pageSize = (asked: number | undefined): number =>
  Math.min(Math.max(Math.trunc(asked ?? 50), 1), 200)

/**
 * A page of what was read with `limit + 1`: the extra row shows that another page follows.
 * @param cursorOf where the next page begins, from the last row of this one
 */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  cursorOf: (last: Row) => string,
): { readonly listed: Row[]; readonly next: string | null } {
  const listed = rows.slice(0, limit)
  const last = listed.at(-1)
  return { listed, next: rows.length > limit && last !== undefined ? cursorOf(last) : null }
}

/** Where a page ended, as one text for an address. */
export const encodeCursor = (parts: readonly string[]): string =>
  Buffer.from(JSON.stringify(parts)).toString('base64url')

/** The parts of a cursor. Throws `CursorRefused` for a text that `encodeCursor` did not make. */
export function decodeCursor(text: string): string[] {
  const parts = PartsSchema.safeParse(parseJson(Buffer.from(text, 'base64url').toString())).data
  if (parts === undefined || encodeCursor(parts) !== text) throw new CursorRefused()
  return parts
}

const PartsSchema = z.array(z.string())

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** How far lists are counted exactly. */
export const exactUpTo = 1_000

/** Exact up to 1,000; beyond that `count` is 1,000, or a caller's estimate of two digits to be shown as "about". */
export interface Total {
  readonly count: number
  readonly exact: boolean
  /** There are so many, and may be more: not all that there is was gone through. */
  readonly atLeast?: true
}

export interface SqlQuery {
  readonly sql: string
  readonly values: unknown[]
}

/** The total of what was counted no further than one beyond `exactUpTo`. */
export const upTo = (counted: number): Total => ({
  count: Math.min(counted, exactUpTo),
  exact: counted <= exactUpTo,
})

/**
 * Counts what a query finds, and stops one beyond the limit.
 * @param first reads those that match, at most so many, by an index
 */
export async function countUpTo(first: (most: number) => SqlQuery): Promise<Total> {
  const { sql, values } = first(exactUpTo + 1)
  const { rows } = await pool().query<{ count: bigint }>(`SELECT count(*) FROM (${sql}) AS counted`, values)
  return upTo(Number(rows[0]?.count ?? 0))
}
