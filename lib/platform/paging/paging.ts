import 'server-only'
import { z } from 'zod'
import { pool } from '../db/pool.ts'
import { CursorRefused } from '../refusals.ts'

/** A page has the requested number of rows, from 1 to 200, by default 50. */
export const pageSize = (asked: number | undefined): number =>
  Math.min(Math.max(Math.trunc(asked ?? 50), 1), 200)

/**
 * `pageOf` makes a page from rows that were read with `limit + 1`. The extra row shows that another page follows.
 * A browser sends its `next` back as the cursor of the next page.
 * @param cursorOf makes the next page's start from the last row of this one
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

/** A cursor says where a page ended, as one text for an address. */
export const encodeCursor = (parts: readonly string[]): string =>
  Buffer.from(JSON.stringify(parts)).toString('base64url')

/** `decodeCursor` returns the parts of a cursor. It throws `CursorRefused` for a text that `encodeCursor` did not make. */
export function decodeCursor(text: string): string[] {
  const parts = PartsSchema.safeParse(parseJson(Buffer.from(text, 'base64url').toString())).data
  if (parts === undefined || encodeCursor(parts) !== text) throw new CursorRefused()
  return parts
}

/** A list that is sorted by a time and an id goes on from this row, also when the row is gone. */
export const encodePlace = (at: Date, id: string): string => encodeCursor([at.toISOString(), id])

/** `decodePlace` returns the time and the id, or two nulls for no cursor. It throws `CursorRefused` as `decodeCursor` does. */
export function decodePlace(
  text: string | null | undefined,
): readonly [string, string] | readonly [null, null] {
  if (text === null || text === undefined) return [null, null]
  const place = PlaceSchema.safeParse(decodeCursor(text)).data
  if (place === undefined) throw new CursorRefused()
  return place
}

/** PostgreSQL has no year 0. No row is older than 1970. */
export const PlaceTimeSchema = z.iso.datetime({ precision: 3 }).refine((text) => Date.parse(text) >= 0)

const PlaceSchema = z.tuple([PlaceTimeSchema, z.guid()])

const PartsSchema = z.array(z.string())

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Lists are counted exactly up to this number. */
export const exactUpTo = 1_000

/**
 * A total is exact up to 1,000. Above that, it is at least 1,000, or a caller's estimate of two digits to be shown as "about".
 */
export interface Total {
  readonly count: number
  readonly exact: boolean
  /** There are so many or more, because the count ended before all rows. */
  readonly atLeast?: true
}

export interface SqlQuery {
  readonly sql: string
  readonly values: unknown[]
}

/** The total is of rows that were counted up to one more than `exactUpTo`. */
export const upTo = (counted: number): Total =>
  counted <= exactUpTo ? { count: counted, exact: true } : { count: exactUpTo, exact: false, atLeast: true }

/**
 * `countUpTo` counts the rows of a query, and stops at one more than the limit.
 * @param first reads at most so many matching rows by an index
 */
export async function countUpTo(first: (most: number) => SqlQuery): Promise<Total> {
  const { sql, values } = first(exactUpTo + 1)
  const { rows } = await pool().query<{ count: bigint }>(`SELECT count(*) FROM (${sql}) AS counted`, values)
  return upTo(Number(rows[0]?.count ?? 0))
}
