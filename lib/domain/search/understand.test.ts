import { expect, it } from 'vitest'
import { understand } from './understand.ts'

const one = '2046967a-e17d-45b7-9cc9-a4c1b2ad1329'
const two = '3f2c1111-0000-4000-8000-00000000d0b1'

it.each([
  [one, true, `Id ${one}`],
  [`${one} ${two}`, true, '2 lines'],
  [Array.from({ length: 130 }, (_, n) => `2046967${n}`).join('\n'), true, 'The first 100 of 130 lines'],
  ['20', false, 'Type at least 4 characters, or 3 letters of a name'],
])('says what %j looks for', (text, searchable, explanation) => {
  expect(understand(text)).toMatchObject({ searchable, explanation })
})
