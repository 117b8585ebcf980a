/** A row of a list that the server drew. */
export interface DrawnRow<Row> {
  readonly id: string
  readonly row: Row
}

/**
 * The newest rows in the order in which their list is being read, so that none moves under the reader. Those that came since are
 * only counted. Where nothing is left of what was read, or nothing was, the newest stand as they came.
 * @param shown the ids of the rows that are being read, in their order
 */
export function calmRows<Row>(shown: readonly string[], newest: readonly DrawnRow<Row>[]) {
  const byId = new Map(newest.map((each) => [each.id, each]))
  const kept = shown.flatMap((id) => byId.get(id) ?? [])
  return kept.length === 0
    ? { rows: newest, newCount: 0 }
    : { rows: kept, newCount: newest.length - kept.length }
}
