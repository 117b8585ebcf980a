import 'server-only'

/**
 * What a row says, as text: a row is the same as another of its table when their texts are equal. Of a row to be written,
 * and of one that the database has after `toWrittenRow`. Whether a row has to be written is decided by this alone,
 * decision 0039.
 */
export function rowText(row: object): string {
  let text = ''
  // No text of a row contains NUL, see `textField`.
  for (const value of Object.values(row)) text += value === null ? '\0-' : `\0=${valueText(value)}`
  return text
}

const valueText = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(inOrder(value)) : String(value)

/** The database has the names of an object in an order of its own. */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.length === 0 ? value : value.map(inOrder)
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, inner]) => [name, inOrder(inner)])
}
