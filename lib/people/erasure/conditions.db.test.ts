import { afterAll, beforeAll, expect, it } from 'vitest'
import { openPool } from '#lib/platform/db/pool.ts'
import { cleanText, plainText } from '#lib/platform/rules/pasted-text.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { readableText } from './conditions.ts'

let database: TestDatabase
let pool: ReturnType<typeof openPool>
beforeAll(async () => {
  database = await createTestDatabase()
  pool = openPool(database.url)
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

const read = async (texts: readonly string[]) => {
  const { rows } = await pool.query<{ text: string }>(
    `SELECT ${readableText('given')} AS text FROM unnest($1::text[]) WITH ORDINALITY AS one (given, nth) ORDER BY nth`,
    [texts],
  )
  return rows.map(({ text }) => text)
}

it('the database writes every digit and dash plainly, and leaves out invisible signs, as the search does', async () => {
  const signs = Array.from({ length: 0xe_1000 - 0x80 }, (_, at) => String.fromCodePoint(at + 0x80)).filter(
    (sign) =>
      /[\p{Nd}\p{Pd}\p{Pi}\p{Pf}\p{Po}\p{Zs}\p{Default_Ignorable_Code_Point}\uff00-\uffef]/u.test(sign),
  )
  const texts = signs.map((sign) => `a${sign}1`)
  const reported = await read(texts)
  const other = texts.filter((text, nth) => reported[nth] !== plainText(text))
  expect(other.map((text) => text.codePointAt(1)?.toString(16))).toEqual([])
})

it.each([
  'ana%40demo.test',
  'ana=40demo.test',
  '2046967a%2D85f9',
  '2046967a%E2%80%8B',
  'Z%C3%BCrich',
  'DE89=203704=200044',
  'soft=\r\nbreak, sent=3D',
])('decodes %j', async (text) => {
  expect((await read([text]))[0]?.split('\n').at(-1)).toBe(cleanText(text))
})

it.each(['100%', '%C3', '%ED%A0%80', '%ff%fe', "100% of '", '=', 'a\\b'])('survives %j', async (text) => {
  expect((await read([text]))[0]).toContain(text.replace(/=$/, ''))
})
