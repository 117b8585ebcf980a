/**
 * A line of CSV (RFC 4180), safe to open in a spreadsheet: what would be read as a formula is led by an apostrophe, also where `;` or
 * a tab separates, as for most of Europe. So is an apostrophe that stands there already: `withoutGuards` gives every text back.
 */
export const csvLine = (cells: readonly (string | number | null)[]): string =>
  `${cells.map(cellOf).join(',')}\r\n`

function cellOf(cell: string | number | null): string {
  const text = String(cell ?? '')
  const safe = /^-\d+(\.\d+)?$/.test(text) ? text : withoutFormulas(text)
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** The text of a cell that `csvLine` wrote. One of another program keeps an apostrophe that guards nothing: `'t Hooft`. */
export const withoutGuards = (cell: string): string => cell.replace(guards, '$1')

const guards = /(^|[;|\t\n\v\f\r\u0085\u2028\u2029])'(?=['=+\-@＝＋－＠;|\p{Z}\p{C}"])/gu

const withoutFormulas = (text: string): string =>
  text.replace(blanks, (run, at: number) => {
    const next = text.charAt(at + run.length)
    if (next === "'" && (run === '' || endsCell.test(run))) return `${run}'`
    if (!beginsFormula.test(next)) return run
    const led = run.replace(separators, "$&'")
    return at === 0 ? `'${led}` : led
  })

/** Each run of them, and the empty one before the first sign. */
const blanks = /^[;|\p{Z}\p{C}"]*|[;|\p{Z}\p{C}"]+/gu
const separators = /[;|\t\n\v\f\r\u0085\u2028\u2029]/g
const endsCell = /[;|\t\n\v\f\r\u0085\u2028\u2029]$/
const beginsFormula = /[=+\-@＝＋－＠]/

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
