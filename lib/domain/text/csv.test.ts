import { expect, it } from 'vitest'
import { csvLine } from './csv.ts'

it('writes a line that every CSV reader splits into the same cells', () => {
  expect(csvLine(['plain', null, 'a,b', 'say "so"', 'two\nlines', '-1.50'])).toBe(
    'plain,,"a,b","say ""so""","two\nlines",-1.50\r\n',
  )
})

it('writes no cell that a spreadsheet reads as a formula', () => {
  expect(csvLine(['=1+1', '+49', '@now', '-x', '\t=1', '\r=1'])).toBe(
    "'=1+1,'+49,'@now,'-x,'\t=1,\"'\r=1\"\r\n",
  )
  // Some read their wide forms alike, and what follows an empty line.
  expect(csvLine(['＝1', '＋1', '－1', '＠a', '\n=1'])).toBe("'＝1,'＋1,'－1,'＠a,\"'\n=1\"\r\n")
})
