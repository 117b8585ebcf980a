import { csvLine } from './csv.ts'

/** What rows may leave as: CSV, or lines of JSON. */
export const formats = ['csv', 'ndjson'] as const

export type Format = (typeof formats)[number]

/** A column of a file, and what stands there for a row. A list is one in JSON, and in CSV words with spaces between them. */
export type FileColumn<Row> = readonly [
  name: string,
  read: (row: Row) => string | number | boolean | null | readonly string[],
]

/**
 * The text of a file in portions, as its rows come: CSV below a heading, or a line of JSON for each row.
 * @param value what a line of JSON holds; by default its columns
 */
export async function* fileText<Row>(
  format: Format,
  portions: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>,
  columns: readonly FileColumn<Row>[],
  value = (row: Row): object => Object.fromEntries(columns.map(([name, read]) => [name, read(row)])),
): AsyncGenerator<string> {
  if (format === 'csv') yield csvLine(columns.map(([name]) => name))
  const line =
    format === 'csv'
      ? (row: Row) => csvLine(columns.map(([, read]) => csvCell(read(row))))
      : (row: Row) => `${JSON.stringify(value(row))}\n`
  for await (const rows of portions) if (rows.length > 0) yield rows.map(line).join('')
}

/** One cell as `csvLine` takes it. */
function csvCell(cell: ReturnType<FileColumn<never>[1]>): string | number | null {
  if (typeof cell === 'boolean') return String(cell)
  return typeof cell === 'object' && cell !== null ? cell.join(' ') : cell
}
