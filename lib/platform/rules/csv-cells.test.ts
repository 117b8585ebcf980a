import fc from 'fast-check'
import { expect, it } from 'vitest'
import { csvLine } from './csv.ts'
import { csvCells, separatorOf } from './csv-cells.ts'

it.each([
  ['a,b', ['a', 'b']],
  [' a , "b, c" ,', ['a', 'b, c', '']],
  ['"say ""so""",x', ['say "so"', 'x']],
  ['" b "', ['b']],
  ['', ['']],
  [',', ['', '']],
  ['a"b,c', ['a"b', 'c']],
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
