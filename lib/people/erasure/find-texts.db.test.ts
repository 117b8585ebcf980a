import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { openPool } from '#lib/platform/db/pool.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { findTexts } from './find-texts.ts'
import { holdsValue, type PersonValues } from './person-values.ts'

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
beforeEach(() => pool.query('TRUNCATE gap, transaction_note, overview_mute'))

const person: PersonValues = {
  values: new Set([
    '2046967a-85f9-4a0e-9d53-0c5f1e7a2b11',
    'nl91abna0417164300',
    '123456789012',
    '20261120',
    '112000',
    ...['112026', '20242026', '1122026', '20112026', '100200', '12345678', '45678901'],
    '0x52908400098527886e0f7030069857d2e4169ee7',
    'ana.b@demo.test',
    '12.34.56.78.90.12.34.56',
    '用户甲乙丙@例子.广告',
  ]),
  exact: new Set(['Only.Case@demo.test']),
}

const write = (texts: readonly string[]) =>
  pool.query(
    `INSERT INTO gap (id, kind, about, began_at, reason)
     SELECT gen_random_uuid(), 'silence', '', now(), text FROM unnest($1::text[]) AS text`,
    [texts],
  )

/** The database keeps texts as they were written, and the result counts those that are found. */
async function expectSame(texts: readonly string[]) {
  await write(texts)
  const found = await findTexts(pool, person)
  expect(new Set(found)).toEqual(new Set(texts.filter((text) => holdsValue(person, text))))
  return found.length
}

it('finds a value with any sign of Unicode in it', async () => {
  const signs = Array.from({ length: 0x1_0000 - 1 }, (_, at) => String.fromCodePoint(at + 1)).filter((sign) =>
    /[^\p{L}\p{Co}\p{Cs}\p{Cn}]/u.test(sign),
  )
  const texts = signs.flatMap((sign) => [
    `12345678${sign}9012`,
    `ana${sign}b@demo.test`,
    `NL91 ABNA${sign}0417 1643 00`,
  ])
  expect(await expectSame(texts)).toBeGreaterThan(5_000)
})

const spelled = [
  'NL91-ABNA-0417-1643-00',
  'NL91·ABNA·0417·1643·00',
  'NL91_ABNA_0417_1643_00',
  'nl91/abna/0417/1643/00',
  'NL91ABNA0417164300EUR',
  'IBANNL91ABNA0417164300',
  'N&#76;91 ABNA 0417 1643 00',
  '&#x4e;L91&nbsp;ABNA&nbsp;0417&nbsp;1643&nbsp;00',
  'NL91%2520ABNA%25200417%25201643%252000',
  '52908400098527886E0F7030069857D2E4169EE7',
  '2046967a85f94a0e9d530c5f1e7a2b11',
  '2046967a=2D85f9=2D4a0e=2D9d53=2D0c5f1e7a2b11',
  'ana.b (at) demo.test',
  'ana [dot] b [at] demo [dot] test',
  'Ana.B{at}demo.test',
  'ana.b @ demo.test',
  'ana.b&commat;demo&period;test',
  'ana.b\\u0040demo.test',
  'ana.b%25252540demo.test'.replace('2525', '25'),
  '=?utf-8?Q?Ana_=3Cana.b=40demo.test=3E?=',
  '{"said":"Hi\\nana.b@demo.test\\n"}',
  'to=ana.b@demo.test',
  'Hi=20ana.b@demo.test',
  '1234-5678-9012-3456',
  '请联系ana.b@demo.test谢谢',
  'اكتب إلى وana.b@demo.test',
  '请联系用户甲乙丙@例子.广告谢谢',
  'Only.Case@DEMO.test',
  'Only [dot] Case (at) demo.test',
  'see...ana.b@demo.test.',
  'for ana.b@demo.test.csv',
  '１２３４ ５６７８ ９０１２',
  '客户123456789012退款',
  '口座番号は123456789012です',
  'บัญชี123456789012ครับ',
  'счёт123456789012',
  '1234-5678-9012',
  '口座1234-5678-9012です',
  '1234 - 5678 - 9012',
  '1234–5678–9012',
  '60-16-13-123456789012',
  ...['2026-11-2-0', '10-02-0-0', '20-24-20-26', '45-67-8901'],
  ...['Konto 12-34-56-78', '123-45-678', '12 - 34 - 56 - 78'],
  ...['1234-56-78-9012', '12-34-56-78-90-12', '12-34-56 789012'],
]

it.each(spelled)('%s names the person', async (text) => {
  expect(await expectSame([text, `Rang: ${text}`, `(${text})`, 'Rang once'])).toBe(3)
})

it.each([
  'NL91-ABNA-0417-1643-01',
  'NL91 ABNA 0417 and 1643 00',
  '9123456789012',
  '123456789012,5',
  '1234567890123',
  '1234-5678-9012-7',
  '71-1234-5678-9012',
  '1234-5678-90123',
  'x1234-5678-9012',
  '客户123456789012x',
  '2026-11-20',
  '2026-11-20 00:32',
  '11-20-00',
  ...['from 11-2026 on', '2024-2026', '2024 – 2026', '1-12-2026', '20 - 11 - 2026', '2026 - 11 - 20'],
  ...['20-11-2026', '11 - 20 - 00', '100-200 EUR', '100--200', '2026-1120', '20–11–2026 - 3 days'],
  '52908400098527886e0f7030069857d2e4169ee',
  'diana.b@demo.test',
  'x.ana.b (at) demo.test',
  'di&#97;na.b@demo.test',
  'ana.b@demo.testing.test',
  'ana.b@mydemo.test',
  'ana.b at demo.test',
  'only.case@demo.test',
  'only.case (at) demo.test',
  '100 % & more = \\u00e9',
])('%s does not', async (text) => {
  expect(await expectSame([text, `Rang: ${text}`, `(${text})`])).toBe(0)
})

it('reads a long text in linear time', () => {
  for (const part of ['1', '-', '1-', '1 -', '12345678901-', '123456789012x', '1-2-3-4-5-6-7-8-9-0-1-'])
    for (const begin of ['', '1'])
      expect(holdsValue(person, `${begin}${part.repeat(65_536 / part.length)}x123456789012x`)).toBe(false)
})

it('finds texts in every page of a large table, by its whole key', async () => {
  await pool.query(
    `INSERT INTO transaction_note (subject_id, id, text, ticket, author)
     SELECT 'transaction:' || n % 7, gen_random_uuid(), 'Größe ' || n, CASE n % 500 WHEN 0 THEN 'of ana.b@demo.test ' || n END, 'x'
     FROM generate_series(1, 3500) AS n`,
  )
  await pool.query(
    `INSERT INTO overview_mute (kind, about, note, muted_by, covers_until)
     SELECT CASE n % 2 WHEN 0 THEN 'held' ELSE 'aml' END, n, 'é ' || CASE n % 1000 WHEN 0 THEN '123456789012' || repeat(' ', n / 1000) ELSE '' END, 'x', now()
     FROM generate_series(1, 2500) AS n`,
  )
  expect((await findTexts(pool, person)).length).toBe(7 + 2)
})

it('answers others between texts', async () => {
  await write(Array.from({ length: 200 }, (_, n) => `text ${n}`))
  const turns: number[] = [0]
  const values = new Set<string>()
  const seen = {
    exact: values,
    get values() {
      turns[turns.length - 1] = (turns.at(-1) ?? 0) + 1
      return values
    },
  }
  const isOver = new AbortController()
  const turn = () => {
    turns.push(0)
    if (!isOver.signal.aborted) setImmediate(turn)
  }
  turn()
  await findTexts(pool, seen)
  isOver.abort()
  expect(turns.reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(200)
  expect(Math.max(...turns)).toBeLessThanOrEqual(20)
})
