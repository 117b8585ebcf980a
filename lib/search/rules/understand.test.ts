import { expect, it } from 'vitest'
import { understand } from './understand.ts'

const one = '2046967a-e17d-45b7-9cc9-a4c1b2ad1329'
const two = '3f2c1111-0000-4000-8000-00000000d0b1'

it.each([
  ['', false, 'Paste an ID, a hash, a wallet, an IBAN, an e-mail, a name or an amount'],
  [one, true, `ID ${one}`],
  [`${one} ${two}`, true, '2 lines'],
  [Array.from({ length: 130 }, (_, n) => `2046967${n}`).join('\n'), true, 'The first 100 of 130 lines'],
  ['20', true, 'Customer number 20; an ID needs at least 4 characters'],
  ['ab', false, 'Type at least 4 characters, or 3 letters of a name'],
])('says what %j looks for', (text, searchable, explanation) => {
  expect(understand(text)).toMatchObject({ searchable, explanation })
})

it('waits longer for what may become an account number, of which few may be looked for, or an id', () => {
  expect(understand('20').pause).toBe(400)
  expect(understand('31926819').pause).toBe(400)
  expect(understand('ES91 2100 0418 4502 0005 1332').pause).toBe(400)
  for (const text of ['', one, 'Ana', '€255.86']) expect(understand(text).pause).toBe(120)
})
