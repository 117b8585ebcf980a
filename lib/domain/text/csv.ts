/** A line of CSV (RFC 4180), safe to open in a spreadsheet: what would be read as a formula is led by an apostrophe. */
export const csvLine = (cells: readonly (string | number | null)[]): string =>
  `${cells.map(cellOf).join(',')}\r\n`

function cellOf(cell: string | number | null): string {
  const text = String(cell ?? '')
  const plain = /^[=+\-@\t\r\n＝＋－＠]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
