/**
 * A line of CSV (RFC 4180), safe to open in a spreadsheet: what would be read as a formula is led by an apostrophe. So is what
 * would be where `;` or a tab separates, as for most of Europe, since a quotation mark within a cell then encloses nothing.
 */
export const csvLine = (cells: readonly (string | number | null)[]): string =>
  `${cells.map(cellOf).join(',')}\r\n`

function cellOf(cell: string | number | null): string {
  const text = String(cell ?? '')
  const safe = /^-\d+(\.\d+)?$/.test(text) ? text : withoutFormulas(text)
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const withoutFormulas = (text: string): string =>
  text.replace(blanks, (run, at: number) => {
    if (!beginsFormula.test(text.charAt(at + run.length))) return run
    const led = run.replace(separators, "$&'")
    return at === 0 ? `'${led}` : led
  })

/** Each run of them, and the empty one before the first sign. */
const blanks = /^[;|\p{Z}\p{C}"]*|[;|\p{Z}\p{C}"]+/gu
const separators = /[;|\t\n\v\f\r\u0085\u2028\u2029]/g
const beginsFormula = /[=+\-@＝＋－＠]/
