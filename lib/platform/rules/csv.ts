/**
 * `csvLine` writes a line of CSV (RFC 4180) that is safe in a spreadsheet. An apostrophe, the guard, precedes a text that
 * would be read as a formula, also after `;` or a tab, which separate cells in most of Europe. It also precedes an
 * apostrophe in the text, so `withoutGuards` restores every text.
 */
export const csvLine = (cells: readonly (string | number | null)[]): string =>
  `${cells.map(cellOf).join(',')}\r\n`

function cellOf(cell: string | number | null): string {
  const text = String(cell ?? '')
  const safe = /^-\d+(\.\d+)?$/.test(text) ? text : withoutFormulas(text)
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/**
 * `withoutGuards` restores the text of a cell that `csvLine` wrote. A text of another program keeps an apostrophe that
 * guards nothing: `'t Hooft`.
 */
export const withoutGuards = (cell: string): string => cell.replace(guards, '$1')

const guards = /(^|[;|\t-\r\u0085\u2028\u2029])'(?=['=+\-@＝＋－＠;|\p{Z}\p{C}"])/gu

const withoutFormulas = (text: string): string =>
  text.replace(blanks, (run, at: number) => {
    const next = text.charAt(at + run.length)
    if (next === "'" && (run === '' || endsCell.test(run))) return `${run}'`
    if (!beginsFormula.test(next)) return run
    const led = run.replace(listSeparators, "$&'")
    return at === 0 ? `'${led}` : led
  })

/** The pattern finds each run of these signs, and the empty one before the first sign. */
const blanks = /^[;|\p{Z}\p{C}"]*|[;|\p{Z}\p{C}"]+/gu
const listSeparators = /[;|\t-\r\u0085\u2028\u2029]/g
const endsCell = /[;|\t-\r\u0085\u2028\u2029]$/
const beginsFormula = /[=+\-@＝＋－＠]/

/** Rows can be exported as CSV, or as lines of JSON. */
export const formats = ['csv', 'ndjson'] as const

export type Format = (typeof formats)[number]

/** A column has a name and reads its value from a row. A list is a list in JSON, and words with spaces in CSV. */
export type FileColumn<Row> = readonly [
  name: string,
  read: (row: Row) => string | number | boolean | null | readonly string[],
]

/**
 * `fileText` writes a file in portions as its rows arrive: CSV with a heading, or a line of JSON for each row.
 * @param value makes a line of JSON; by default from the columns
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

/** The cell has the form that `csvLine` takes. */
function csvCell(cell: ReturnType<FileColumn<never>[1]>): string | number | null {
  if (typeof cell === 'boolean') return String(cell)
  return typeof cell === 'object' && cell !== null ? cell.join(' ') : cell
}

/** Spreadsheets of different countries use these signs to separate cells. */
export const separators = [',', ';', '\t', '|'] as const

export type Separator = (typeof separators)[number]

/** The separator is the sign that occurs most often in the heading line. */
export function separatorOf(heading: string): Separator {
  const count = (sign: string) => heading.split(sign).length
  return separators.reduce((most, sign) => (count(sign) > count(most) ? sign : most))
}

/**
 * `csvCells` splits one line of CSV (RFC 4180). Cells have no spaces around them and no guards of `csvLine`; `="00123"` is
 * how spreadsheets keep the zeros of 00123. The result is null when a quote is open at the end of the line.
 */
export const csvCells = (line: string, separator: Separator): string[] | null =>
  rawCells(line, separator)?.map((cell) => (keptText(cell) ?? withoutGuards(cell)).trim()) ?? null

const keptText = (cell: string): string | undefined =>
  /^="((?:[^"]|"")*)"$/.exec(cell)?.[1]?.replaceAll('""', '"')

function rawCells(line: string, separator: Separator): string[] | null {
  const cells: string[] = []
  let at = 0
  for (;;) {
    while (line[at] === ' ') at += 1
    if (line[at] === '"') {
      const cell = quotedCell(line, at + 1)
      if (!cell || (cell.end < line.length && line[cell.end] !== separator)) return null
      cells.push(cell.text)
      at = cell.end
    } else {
      const end = line.indexOf(separator, at)
      cells.push(line.slice(at, end === -1 ? line.length : end).trim())
      at = end === -1 ? line.length : end
    }
    if (at >= line.length) return cells
    at += 1
  }
}

function quotedCell(line: string, from: number): { readonly text: string; readonly end: number } | null {
  let text = ''
  let at = from
  for (;;) {
    const quote = line.indexOf('"', at)
    if (quote === -1) return null
    text += line.slice(at, quote)
    if (line[quote + 1] !== '"') {
      let end = quote + 1
      while (line[end] === ' ') end += 1
      return { text: text.trim(), end }
    }
    text += '"'
    at = quote + 2
  }
}
