import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Role } from '#lib/access/rules/roles.ts'
import { personTerms } from '#lib/identity/users/person-texts.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { cleanText } from '#lib/platform/rules/pasted-text.ts'
import { callerWith } from '../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../test/database.ts'
import { foldBodies } from '../../test/fold-bodies.ts'
import { textOf } from '../../test/text-of.ts'
import { findSubjects } from './find-subjects.ts'
import type { Found } from './found.ts'
import { findLines, search } from './search.ts'

// The tests cover names, amounts and filters, the explanation of a match, and suggestions for a typing error.

const [ana, ben] = [crypto.randomUUID(), crypto.randomUUID()]
const uuids = Array.from({ length: 6 }, (_, n) => `${n}046967a-e17d-45b7-9cc9-a4c1b2ad132${n}`)
const iban = 'DE89370400440532013000'
const hash = `0x${'ab12'.repeat(16)}`
const wallet = `0x${'cd34'.repeat(10)}`
const support = callerWith('support')
let database: TestConfiguration

beforeAll(async () => {
  database = await startDatabase()
  await addPerson(ana, 'ana@demo.test', 'Ana', 'García López', 'C-0500')
  await addPerson(ben, 'ben@demo.test', 'Ben', 'Ong', null)
  await foldBodies(
    uuids.map((transactionUuid, n) => ({
      type: 'fiatToCrypto',
      subType: n % 2 ? 'ON_HOLD' : 'SUCCESS',
      uuid: n < 4 ? ana : ben,
      data: {
        transactionUuid,
        amountFiat: n === 1 ? 255.86 : 100 + n,
        currencyFiat: 'EUR',
        walletAddress: wallet,
        ...(n === 0
          ? { transactionHash: hash, amountCrypto: 5, currencyCrypto: 'usdc' }
          : { senderDetails: { senderName: 'Zoe', accountDetails: { iban } } }),
      },
    })),
    Date.UTC(2026, 10, 20, 12),
  )
})
afterAll(() => database.stop())

const idsOf = ({ named, rows }: Found) =>
  [...named, ...rows].map(({ subjectId }) => uuids.indexOf(subjectId.replace('transaction:', '')))

test.each(['ana', 'Ana Gar', 'garcia', 'LOPEZ', 'C-0500', 'ana@de', 'Ana’s'])(
  'a person is found by %j, with everything of theirs',
  async (text) => {
    const found = await findSubjects(support, text)
    expect(found.people).toMatchObject([
      { userUuid: ana, name: 'Ana García López', customerNumber: 'C-0500' },
    ])
    expect(idsOf(found)).toEqual([3, 2, 1, 0])
  },
)

test.each(['7', '42', 'B9', ' 042 '])(
  'a person is found by a number as short as %j, whoever asks',
  async (number) => {
    const zoe = crypto.randomUUID()
    await addPerson(zoe, `${zoe}@demo.test`, 'Zoe', 'Short', number.trim())
    for (const role of ['support', 'auditor'] as const) {
      const found = await findSubjects(callerWith(role), number)
      expect(found.people, role).toMatchObject([{ userUuid: zoe }])
    }
  },
)

test('whoever sees people masked finds nobody by a part of their name, and reads no name', async () => {
  const auditor = callerWith('auditor')
  for (const text of ['ana', 'garc', 'ana@de'])
    expect(await findSubjects(auditor, text), text).toMatchObject({ people: [], rows: [] })
  const found = await findSubjects(auditor, 'García López')
  expect(idsOf(found)).toEqual([3, 2, 1, 0])
  expect(JSON.stringify({ ...found, explanation: '' })).not.toMatch(/Ana|Garc|ana@/)
})

test('a search and the filters of the list hold at once', async () => {
  expect(idsOf(await findSubjects(support, 'Ana', { step: 'ON_HOLD' }))).toEqual([3, 1])
  const filters = { step: 'ON_HOLD', direction: 'fiatToCrypto', limit: 1 } as const
  const first = await findSubjects(support, 'Ana', filters)
  expect(idsOf(first)).toEqual([3])
  const second = await findSubjects(support, 'Ana', { ...filters, cursor: first.next ?? '' })
  expect([idsOf(second), second.next]).toEqual([[1], null])
  expect(await findSubjects(support, 'Ana', { direction: 'cryptoToFiat' })).toMatchObject({
    rows: [],
    next: null,
  })
  expect(idsOf(await findSubjects(support, uuids[1] ?? '', { step: 'SUCCESS' }))).toEqual([])
  expect(await findSubjects(support, uuids[1] ?? '', { step: 'ON_HOLD' })).toMatchObject({
    exact: `transaction:${uuids[1]}`,
  })
})

test.each([
  ['255.86', [1]],
  ['€255.86 20 Nov', [1]],
  ['255,86 EUR on 20.11.2026', [1]],
  ['255.86 2026-11-18', []],
  ['255.86 2026-11-23', []],
  ['$255.86', []],
  ['5 USDC', [0]],
  ['5.0', [0]],
  ['5.49', []],
])('an amount finds the transactions of exactly so much: %s', async (text, expected) => {
  expect(idsOf(await findSubjects(support, text))).toEqual(expected)
})

test('what may be an id or an amount in capitals is looked for as an id first', async () => {
  await pool().query(
    `WITH made AS (
       INSERT INTO transaction (subject_id, uuid, direction, step, amount_fiat, currency_fiat, details, flags, started_at, last_move_at)
       SELECT 'transaction:' || uuid, uuid, 'fiatToCrypto', 'SUCCESS', amount, 'CAD', '{}', '{}', now(), now()
       FROM (VALUES ('77777777-e17d-45b7-9cc9-a4c112345cad', 5), ('88888888-e17d-45b7-9cc9-a4c100000000', 12345678),
         ('99999999-e17d-45b7-9cc9-a4c100000000', 87654321)) AS given (uuid, amount) RETURNING *
     ) INSERT INTO identifier (subject_id, value, started_at) SELECT subject_id, uuid, started_at FROM made`,
  )
  const found = async (text: string) =>
    (await findSubjects(support, text)).rows.map(({ subjectId }) => subjectId.slice(12, 20))
  expect(await found('C112345CAD')).toEqual(['77777777'])
  expect(await found('12345CAD')).toEqual(['77777777'])
  expect(await found('87654321CAD')).toEqual(['99999999'])
  expect(await found('12345678 CAD')).toEqual(['88888888'])
})

test('what is an amount after all is not explained as an id before', async () => {
  const spy = vi.spyOn(pool(), 'query')
  const found = await findSubjects(support, '98765432CAD')
  const asked = spy.mock.calls.map(([sql]) => textOf(sql))
  spy.mockRestore()
  expect(found).toMatchObject({ rows: [], near: [], absence: { openGaps: expect.any(Number) } })
  expect(asked.filter((sql) => sql.includes('FROM receiver_period'))).toHaveLength(1)
  expect(asked.filter((sql) => sql.includes('AS beginning') || sql.includes('AS ending'))).toEqual([])
})

test('a customer number that reads like an amount names its person, of whom nothing was received', async () => {
  const kim = crypto.randomUUID()
  await addPerson(kim, 'kim@demo.test', 'Kim', 'Lima', '55555555CAD')
  expect(await findSubjects(support, '55555555CAD')).toMatchObject({ people: [{ userUuid: kim }], rows: [] })
})

test('an amount is found together with filters, and page by page', async () => {
  await pool().query(
    `INSERT INTO transaction (subject_id, uuid, direction, step, amount_fiat, currency_fiat, details, flags, started_at, last_move_at)
     SELECT 'transaction:much-' || n, 'much-' || n, 'fiatToCrypto', 'SUCCESS', 777.70, 'EUR', '{}', '{}', at, at
     FROM generate_series(1, 120) n, LATERAL (SELECT timestamptz '2026-11-01' + n * interval '1 min' AS at) t`,
  )
  const seen: string[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await findSubjects(support, '777.7', { cursor })
    seen.push(...page.rows.map(({ subjectId }) => subjectId))
    if (page.next === null) break
    cursor = page.next
  }
  expect(seen).toEqual(Array.from({ length: 120 }, (_, n) => `transaction:much-${120 - n}`))
  expect((await findSubjects(support, '777.70', { step: 'ON_HOLD' })).rows).toEqual([])
})

test('“yesterday” means the same day in a link', async () => {
  const { link } = await search(support, { text: '255.86 EUR yesterday' })
  const opened = await search(support, { link: link ?? '' })
  expect(opened).toMatchObject({ text: expect.stringMatching(/^255\.86 EUR \d{4}-\d\d-\d\d$/) })
})

test.each([
  [
    '255.86 EUR today\nana@demo.test\n207.71 EUR yesterday',
    /^255\.86 EUR DAY\nana@demo\.test\n207\.71 EUR DAY$/,
  ],
  ['Ana Today\n€5 yesterday', /^Ana Today\n€5 DAY$/],
  ['255.86 EUR\nyesterday', /^255\.86 EUR\nDAY$/],
])('a day in %j means the same day in a link', async (text, fixed) => {
  const { link } = await search(support, { text })
  const opened = await search(support, { link: link ?? '' })
  expect(opened).toMatchObject({
    text: expect.stringMatching(new RegExp(fixed.source.replaceAll('DAY', String.raw`\d{4}-\d\d-\d\d`))),
  })
})

test('each row says by which field it was found, and which part of it', async () => {
  const whyOf = async (text: string, role: Role = 'support', n = 0) =>
    (await findSubjects(callerWith(role), text)).why[`transaction:${uuids[n]}`]
  expect(await whyOf(uuids[0] ?? '')).toMatchObject({
    field: 'id',
    text: uuids[0],
    marks: [{ from: 0, to: 36 }],
  })
  expect(await whyOf('0046')).toMatchObject({ field: 'id', marks: [{ from: 0, to: 4 }] })
  expect(await whyOf('b2ad1320')).toMatchObject({ field: 'id', marks: [{ from: 28, to: 36 }] })
  expect(await whyOf(hash.slice(0, 12))).toMatchObject({
    field: 'hash',
    text: hash,
    marks: [{ from: 0, to: 12 }],
  })
  expect(await whyOf(wallet)).toMatchObject({ field: 'wallet', text: wallet })
  expect(await whyOf(wallet, 'auditor')).toEqual({ field: 'wallet', text: '•••cd34', marks: [] })
  expect(await whyOf(ana)).toMatchObject({ field: 'person', text: ana })
  expect(await whyOf('ana@demo.test')).toEqual({
    field: 'email',
    text: 'ana@demo.test',
    marks: [{ from: 0, to: 13 }],
  })
  for (const marked of ['📧ana@demo.test', '|ana@demo.test|', '_ana@demo.test_', '•ana@demo.test'])
    expect(await whyOf(marked), marked).toMatchObject({ field: 'email', marks: [{ from: 0, to: 13 }] })
  expect(await whyOf('garc')).toEqual({
    field: 'name',
    text: 'Ana García López',
    marks: [{ from: 4, to: 8 }],
  })
  expect(await whyOf('C-0500')).toMatchObject({ field: 'customer-number', text: 'C-0500' })
  expect(await whyOf('€255.86', 'support', 1)).toEqual({
    field: 'fiat',
    text: '255.86 EUR',
    marks: [{ from: 0, to: 6 }],
  })
  // The account number looks as the role sees it everywhere.
  expect(await whyOf(iban, 'support', 1)).toEqual({
    field: 'sender-account-number',
    text: 'DE•••3000',
    marks: [],
  })
  expect(await whyOf('DE89 3704', 'compliance', 1)).toEqual({
    field: 'sender-account-number',
    text: iban,
    marks: [{ from: 0, to: 8 }],
  })
})

test.each([
  ['a wrong character at the end', '2046967a-e17d-45b7-9cc9-a4c1b2ad1329', { kind: 'wrong', at: 35 }],
  ['a wrong character at the beginning', '3246967a-e17d-45b7-9cc9-a4c1b2ad1322', null],
  ['a wrong character in a beginning', '2046968a', { kind: 'wrong', at: 6 }],
  ['an early wrong character in a beginning', '2146967a-e17d', { kind: 'wrong', at: 1 }],
  ['a character that is missing', '2046967a-e17d-45b7-9cc9-a4c1b2a1322', { kind: 'missing', at: 31 }],
  ['two that are swapped', '2046967a-e17d-45b7-9cc9-a4c1b2da1322', { kind: 'swapped', at: 30 }],
  ['O for 0', '2O46967a-e17d', null],
  ['a wrong character in an ending', 'a4c1b2ad1422', { kind: 'wrong', at: 33 }],
  ['an early wrong character in an ending', 'a5c1b2ad1322', { kind: 'wrong', at: 25 }],
  ['a wrong character at the very end', '…a4c1b2ad132c', null],
  ['two that are swapped in an ending', 'a4c1b2da1322', { kind: 'swapped', at: 30 }],
  ['a character that is missing in an ending', '9-a4c1b2a1322', { kind: 'missing', at: 31 }],
  ['a character that is missing early in a beginning', '204967a-e17d', { kind: 'missing', at: 3 }],
  ['l for 1 in an ending', 'a4clb2ad1322', null],
  ['l for 1 in what is marked as one', '…a4clb2ad1322', null],
])('with %s the id that was meant is named, and not opened', async (_what, text, slip) => {
  const found = await findSubjects(support, text)
  expect(found).toMatchObject({ rows: [], exact: null })
  if (text.endsWith('132c')) return expect(found.near).toHaveLength(3)
  if (text.startsWith('3246')) return expect(found.near).toEqual([])
  expect(found.near).toEqual([{ subjectId: `transaction:${uuids[2]}`, value: uuids[2], slip }])
})

test.each([
  ['a wrong character', 'bem@demo.test', { kind: 'wrong', at: 2 }],
  ['a character that is missing', 'ben@deo.test', { kind: 'missing', at: 6 }],
  ['a character too many', 'benn@demo.test', { kind: 'too-many', at: 3 }],
  ['two that are swapped', 'Ben@demo.tets', { kind: 'swapped', at: 11 }],
])('with %s the e-mail that was meant is named, for roles that see e-mails', async (_what, text, slip) => {
  const near = [{ subjectId: `entity:${ben}`, value: 'ben@demo.test', slip }]
  expect(await findSubjects(support, text)).toMatchObject({ people: [], rows: [], exact: null, near })
  expect(await findSubjects(callerWith('auditor'), text)).toMatchObject({ people: [], near: [] })
})

test('beside filters an id that was mistyped is told from one that the filters leave out', async () => {
  const filters = { direction: 'cryptoToFiat' } as const
  const meant = uuids[2] ?? ''
  expect(await findSubjects(support, '2046968a', filters)).toMatchObject({
    rows: [],
    near: [{ value: meant }],
  })
  expect(await findSubjects(support, meant, filters)).toMatchObject({ rows: [], near: [] })
  expect(await findSubjects(support, '2046967a', filters)).toMatchObject({ rows: [], near: [] })
})

test.each([
  ['kept between marks', `'=' || lower($1) || '='`],
  ['kept bare, as before numbers were marked', 'lower($1)'],
])('no account number is near to any, for any role: %s', async (_how, kept) => {
  const value = `replace(value, '=', '') = lower($1)`
  await pool().query(`UPDATE identifier SET value = ${kept} WHERE ${value}`, [iban])
  for (const role of ['support', 'compliance'] as const)
    for (const text of [iban.replace('3704', '3705'), '1937040044', 'DE8937O4', 'DE893705', 'DE793704'])
      expect((await findSubjects(callerWith(role), text)).near, text).toEqual([])
  await pool().query(`UPDATE identifier SET value = '=' || lower($1) || '=' WHERE ${value}`, [iban])
})

test.each([
  ['as senders write it', wallet],
  ['without its 0x', wallet.slice(2)],
  ['of Solana', '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'],
  ['of Tron', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
])(
  'a masked wallet is not rebuilt: each next digit is answered alike, and it is near to none: %s',
  async (_how, given) => {
    const auditor = callerWith('auditor')
    await pool().query(
      `INSERT INTO identifier SELECT subject_id, lower($2), started_at FROM identifier WHERE value = $1
     ON CONFLICT DO NOTHING`,
      [wallet, given],
    )
    for (const length of [4, 5, 9, given.length - 2]) {
      // The right ones are among them, from either side.
      const digits = [...new Set([given.at(length), given.at(-length - 1), '0', '7', 'f'])]
      for (const guess of [
        (digit = '') => `${given.slice(0, length)}${digit}`,
        (digit = '') => `${digit}${given.slice(-length)}`,
        (digit = '') => `${given.slice(0, length)}${digit}…${given.slice(-4)}`,
        (digit = '') => `${given.slice(0, length - 1)}y${digit}${given.slice(length + 1)}`,
      ]) {
        const found = await findLines(auditor, digits.map(guess).map(cleanText))
        const answers = found.map(({ text: _text, explanation: _explanation, ...answer }) => answer)
        expect(answers, guess('?')).toEqual(digits.map(() => answers[0]))
        expect(answers[0], guess('?')).toMatchObject({ subject: null, count: 0, near: null })
      }
    }
    expect(idsOf(await findSubjects(auditor, given))).toHaveLength(uuids.length)
    expect(idsOf(await findSubjects(support, given.slice(0, 9)))).toHaveLength(uuids.length)
  },
)

test('a role that sees wallets masked finds ids and hashes by parts, and gets those that are near', async () => {
  const auditor = callerWith('auditor')
  for (const text of [hash.slice(0, 9), hash.slice(-9), hash.slice(2, 9), uuids[0]?.slice(0, 8) ?? ''])
    expect(idsOf(await findSubjects(auditor, text)), text).toEqual([0])
  expect((await findSubjects(auditor, `${hash.slice(0, 9)}c`)).near).toMatchObject([{ value: hash }])
  expect((await findSubjects(auditor, '2046968a')).near).toMatchObject([{ value: uuids[2] }])
})

test('nothing found says what this installation knows of why', async () => {
  const { absence } = await findSubjects(support, crypto.randomUUID())
  const oldest = '2026-11-20T12:00:00.000Z'
  expect(absence).toMatchObject({ since: null, oldest, missingTypes: null, gaps: [], openGaps: 0 })
  await pool().query(
    `INSERT INTO receiver_period (receiver_id, began_at, events) VALUES (gen_random_uuid(), '2026-11-01', '{fiatToCrypto,KYC}')`,
  )
  await pool().query(
    `INSERT INTO gap (id, kind, about, began_at) VALUES (gen_random_uuid(), 'silent', '', '2026-11-02')`,
  )
  const known = (await findSubjects(support, crypto.randomUUID())).absence
  expect(known).toMatchObject({
    since: { at: '2026-11-01T00:00:00.000Z' },
    oldest: null,
    openGaps: 1,
    gaps: [{ endedAt: null, covered: false }],
  })
  expect(known?.missingTypes).toContain('AML')
  expect(known?.missingTypes).not.toContain('KYC')
  expect((await findSubjects(callerWith('compliance'), crypto.randomUUID())).absence).toBeNull()
})

test.each([
  ['it listened when the oldest event came', '2026-11-20T12:00:00Z', null],
  ['events were imported from before', '2026-11-20T12:00:00.001Z', '2026-11-20T12:00:00.000Z'],
])('nothing found says how far back events go where %s', async (_where, began, oldest) => {
  await pool().query('UPDATE receiver_period SET began_at = $1', [began])
  const { absence } = await findSubjects(support, crypto.randomUUID())
  expect(absence).toMatchObject({ since: { at: new Date(began).toISOString() }, oldest })
})

test('nothing found says that nobody knows since when an endpoint was there before anybody looked', async () => {
  await pool().query(`UPDATE receiver_period SET began_at = '-infinity'`)
  const { absence } = await findSubjects(support, crypto.randomUUID())
  expect(absence).toMatchObject({ since: 'unknown', oldest: '2026-11-20T12:00:00.000Z' })
})

test.each([
  ['Prod – Europe', 'prod – europe'],
  ['Prod — West', 'Prod - West'],
  ['Ana’s hook', "ana's"],
  ['EU\u00a0ledger', 'EU ledger'],
  ['Réseau', 'Re\u0301seau'],
  ['100%25 of it', '100%25 of it'],
])('the endpoint %j is found by %j', async (name, text) => {
  const { rows } = await pool().query<{ endpoint_uuid: string }>(
    `INSERT INTO watched_endpoint (endpoint_uuid, receiver_id, name, status)
     VALUES (gen_random_uuid(), gen_random_uuid(), $1, 'active') RETURNING endpoint_uuid`,
    [name],
  )
  const expected = [{ endpointUuid: rows[0]?.endpoint_uuid, name, status: 'active' }]
  expect((await findSubjects(support, text)).endpoints).toEqual(expected)
  expect((await findSubjects(support, rows[0]?.endpoint_uuid.slice(0, 13) ?? '')).endpoints).toEqual(expected)
})

test('an endpoint is found by its name, by roles that see endpoints', async () => {
  const endpoint = crypto.randomUUID()
  await pool().query(
    `INSERT INTO watched_endpoint (endpoint_uuid, receiver_id, name, status) VALUES ($1, gen_random_uuid(), 'Ledger backend', 'active')`,
    [endpoint],
  )
  const expected = [{ endpointUuid: endpoint, name: 'Ledger backend', status: 'active' }]
  expect((await findSubjects(support, 'backend')).endpoints).toEqual(expected)
  expect((await findSubjects(callerWith('compliance'), 'backend')).endpoints).toEqual([])
})

async function addPerson(
  uuid: string,
  email: string,
  first: string,
  lastName: string,
  number: string | null,
) {
  await pool().query(
    `INSERT INTO person (user_uuid, email, email_key, first_name, last_name, customer_number, customer_number_key, source)
     VALUES ($1, $2, $2, $3, $4, $5, lower($5), 'test')`,
    [uuid, email, first, lastName, number],
  )
  const row = { user_uuid: uuid, email, first_name: first, last_name: lastName, customer_number: number }
  for (const term of personTerms({ ...row, target_address: null }))
    await pool().query('INSERT INTO person_term (term, user_uuid) VALUES ($1, $2)', [term, uuid])
}
