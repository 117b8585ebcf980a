import { expect, it } from 'vitest'
import { csvLine } from './csv.ts'

it('writes a line that every reader splits as it was', () => {
  expect(csvLine(['plain', null, 'a,b', 'say "so"', 'two\nlines', '-1.50'])).toBe(
    'plain,,"a,b","say ""so""","two\nlines",-1.50\r\n',
  )
})

it('lets no cell become a formula', () => {
  expect(csvLine(['=1+1', '+49', '@now', '-x', '\t=1', '\r=1'])).toBe(
    "'=1+1,'+49,'@now,'-x,'\t=1,\"'\r=1\"\r\n",
  )
})
