import { withoutGuards } from './csv.ts'

/** Spreadsheets of different countries use these signs to separate cells. */
export const separators = [',', ';', '\t', '|'] as const

export type Separator = (typeof separators)[number]

/** The separator is the sign that occurs most often in the heading line. */
export function separatorOf(heading: string): Separator {
  const count = (sign: string) => heading.split(sign).length
  return separators.reduce((most, sign) => (count(sign) > count(most) ? sign : most))
}

/**
 * `csvCells` splits one line of CSV (RFC 4180). Cells have no spaces around them and no guards of `csvLine`. The result is
 * null when a quote is open at the end of the line.
 */
export const csvCells = (line: string, separator: Separator): string[] | null =>
  rawCells(line, separator)?.map((cell) => withoutGuards(cell).trim()) ?? null

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
