import 'server-only'

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
