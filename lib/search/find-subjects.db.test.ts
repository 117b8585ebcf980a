import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { saveToDirectory } from '#lib/identity/users/directory.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { CursorRefused, NotAllowed } from '#lib/platform/refusals.ts'
import { cleanText } from '#lib/platform/rules/pasted-text.ts'
import { getSubject } from '#lib/timeline/subject-details.ts'
import { callerWith } from '../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../test/database.ts'
import { foldBodies } from '../../test/fold-bodies.ts'
import { findSubjects } from './find-subjects.ts'
import type { Found } from './found.ts'
import { findLines } from './search.ts'

const ana = '11111111-1111-4111-8111-111111111111'
const ben = '22222222-2222-4222-8222-222222222222'
const company = '33333333-3333-4333-8333-333333333333'
const account = '44444444-4444-4444-8444-444444444444'
// Each uuid has a letter at either end, so that no part of an IBAN matches one by chance.
const uuids = Array.from({ length: 30 }, () => crypto.randomUUID().replace(/^\d|\d$/g, 'e'))
const hash = `0x${'ab12'.repeat(16)}`
const wallet = `0x${'cd34'.repeat(10)}`
const iban = 'PT50000201231234567890154'
const [retried, retriedIban] = [crypto.randomUUID(), 'DE89370400440532013000']
const [unsureIban, closedIban] = ['DE02120300000000202051', 'DE02500105170137075030']

let database: TestConfiguration

beforeAll(async () => {
  database = await startDatabase()
  await pool().query(`INSERT INTO person (user_uuid, email, email_key, source) VALUES ($1, $2, $2, 'test')`, [
    ana,
    'ana@demo.test',
  ])
  const said: object[] = uuids.map((transactionUuid, n) => ({
    type: n % 2 ? 'fiatToCrypto' : 'cryptoToFiat',
    subType: 'PENDING',
    uuid: n < 10 ? ana.toUpperCase() : ben,
    data: { transactionUuid, walletAddress: wallet, ...(n === 5 ? { transactionHash: hash } : {}) },
  }))
  said.push(
    ...['WAITING_CREATION', 'FAILED_CREATION'].map((status) => ({
      type: 'unblockBankAccount',
      subType: 'statusUpdate',
      uuid: ana,
      data: { uuid: account, iban: 'PT50 0002 0123 1234 5678 9015 4', status },
    })),
    { type: 'KYB', subType: 'statusUpdate', uuid: company, data: { status: 'APPROVED' } },
    { type: 'walletCreated', data: { walletAddress: `0x${'ef56'.repeat(10)}` } },
    ...['WAITING_CREATION', 'FAILED_CREATION', 'WAITING_CREATION'].map((status) => ({
      type: 'unblockBankAccount',
      subType: 'statusUpdate',
      uuid: ben,
      data: { uuid: retried, iban: retriedIban, status },
    })),
  )
  said.push(
    ...[unsureIban, closedIban].flatMap((given) =>
      ['ACTIVE', 'CLOSED'].map((status) => ({
        type: 'unblockBankAccount',
        subType: 'statusUpdate',
        uuid: ben,
        data: { uuid: `account-${given}`, iban: given, status },
      })),
    ),
  )
  const day = 24 * 60
  await foldBodies(said, Date.UTC(2026, 10, 20), 1, day)
})
afterAll(() => database.stop())

const support = callerWith('support')
const idsOf = ({ named, rows }: Found) => [...named, ...rows].map(({ subjectId }) => subjectId)
const transactions = (some: readonly string[]) => some.map((uuid) => `transaction:${uuid}`)

test('finds by the whole uuid, its beginning, its end, and by both as we print it', async () => {
  const uuid = uuids[12] ?? ''
  const exact = `transaction:${uuid}`
  expect(await findSubjects(support, ` ${uuid.toUpperCase()} `)).toMatchObject({ exact })
  expect(await findSubjects(support, uuid.replaceAll('-', ''))).toMatchObject({ exact })
  expect(idsOf(await findSubjects(support, uuid.slice(0, 8)))).toEqual([exact])
  expect(idsOf(await findSubjects(support, uuid.slice(-7)))).toEqual([exact])
  expect(await findSubjects(support, `${uuid.slice(0, 8)}…${uuid.slice(-5)}`)).toMatchObject({ exact })
})

test('names the person whose whole uuid or wallet it is, of whom nothing arrived or something did', async () => {
  const [quiet, own] = [crypto.randomUUID(), `0x${'AB89'.repeat(10)}`]
  const known = { lastName: null, country: null, status: null }
  await inTransaction(pool(), async (tx) => {
    const kim = { ...known, userUuid: quiet, email: 'kim@demo.test', targetAddress: own, firstName: 'Kim' }
    await saveToDirectory(tx, kim, 'import')
    await saveToDirectory(
      tx,
      { ...known, userUuid: ben, email: 'ben@demo.test', targetAddress: wallet, firstName: null },
      'import',
    )
  })
  const texts = [quiet.toUpperCase(), `User ID: ${quiet}`, quiet.replaceAll('-', ''), own, own.slice(2)]
  for (const text of texts) {
    const found = await findSubjects(support, text)
    expect(found, text).toMatchObject({ people: [{ userUuid: quiet, email: 'kim@demo.test' }], rows: [] })
    expect(found.people).toHaveLength(1)
    const masked = (await findSubjects(callerWith('auditor'), text)).people
    expect(masked, text).toMatchObject([{ userUuid: quiet }])
    expect(JSON.stringify(masked)).not.toMatch(/kim@|Kim|AB89/i)
  }
  expect((await findSubjects(support, own.slice(0, 20))).people).toEqual([])
  expect((await findSubjects(support, ben)).people).toMatchObject([{ userUuid: ben, email: 'ben@demo.test' }])
  // A wallet names its transactions as before, not everything of its owner.
  const found = await findSubjects(support, wallet, { limit: 40 })
  expect(found.people).toMatchObject([{ userUuid: ben }])
  expect(idsOf(found)).toEqual(transactions(uuids.toReversed()))
  const second = await findSubjects(support, wallet, {
    limit: 20,
    cursor: (await findSubjects(support, wallet, { limit: 20 })).next ?? '',
  })
  expect(second.people).toEqual([])
})

test('finds by hash, from either end, and all of a wallet, newest first', async () => {
  const exact = `transaction:${uuids[5]}`
  expect(await findSubjects(support, hash)).toMatchObject({ exact, named: [] })
  expect(idsOf(await findSubjects(support, hash.slice(0, 12)))).toEqual([exact])
  expect(idsOf(await findSubjects(support, 'b12ab12'))).toEqual([exact])
  for (const text of [
    wallet,
    wallet.slice(0, 6),
    wallet.slice(-4),
    `${wallet.slice(0, 6)}…${wallet.slice(-4)}`,
  ])
    expect(idsOf(await findSubjects(support, text)), text).toEqual(transactions(uuids.toReversed()))
})

test('the IBAN of a failed bank account finds the account, whole and in blanks', async () => {
  const exact = `bank-account:${account}`
  for (const text of [iban, 'pt50 0002 0123 1234 5678 9015 4', `=${iban}=`]) {
    const found = await findSubjects(support, text)
    expect(found, text).toMatchObject({
      exact,
      rows: [{ latest: { status: 'FAILED_CREATION', userEmail: 'ana@demo.test' } }],
    })
  }
  expect(await findSubjects(support, account)).toMatchObject({ exact, rows: [] })
})

test('an account whose creation is tried again stands where the domain says', async () => {
  expect(await findSubjects(support, retriedIban)).toMatchObject({
    rows: [{ latest: { status: 'WAITING_CREATION' } }],
  })
})

test('an account stands at a state without words once that has surely followed', async () => {
  expect(await findSubjects(support, unsureIban)).toMatchObject({ rows: [{ latest: { status: 'ACTIVE' } }] })
  expect(await findSubjects(support, closedIban)).toMatchObject({ rows: [{ latest: { status: 'CLOSED' } }] })
})

test.each(['support', 'auditor', 'admin'] as const)(
  'an IBAN is not found by any part of it, for %s',
  async (role) => {
    const caller = callerWith(role)
    // Roles differ in which numbers they see whole, and not in how a part is looked for.
    const lengths = role === 'support' ? [4, 5, 6, 8, 10, 13, 16, 20, 21, 23, 24] : [4, 10, 16, 22]
    const parts = lengths.flatMap((length) => [iban.slice(0, length), iban.slice(-length)])
    for (const text of [
      ...parts,
      'PT50…0154',
      'PT•••0154',
      'PT50•••0154',
      '=pt50',
      '0154=',
      '=pt50…0154=',
    ].filter((one) => one !== iban))
      expect(await findSubjects(caller, text), text).toMatchObject({
        named: [],
        rows: [],
        exact: null,
        cut: false,
      })
  },
)

test('an IBAN is not rebuilt: each next digit is answered like every other', async () => {
  const digits = [...'0123456789']
  for (const length of [4, 5, 9, 13, 17, 21, iban.length - 2])
    for (const guess of [
      (digit: string) => `${iban.slice(0, length)}${digit}`,
      (digit: string) => `${iban.slice(0, length)}${digit}…0154`,
      (digit: string) => `${digit}${iban.slice(-length - 4)}`,
    ]) {
      const found = await findLines(support, digits.map(guess).map(cleanText))
      const answers = found.map(({ text: _text, explanation: _explanation, ...answer }) => answer)
      expect(answers, `${length} characters known`).toEqual(digits.map(() => answers[0]))
    }
})

test('a role that sees IBANs whole finds one by its parts too', async () => {
  const exact = `bank-account:${account}`
  const compliance = callerWith('compliance')
  for (const text of ['PT50 0002', '0154', 'PT50…0154'])
    expect(idsOf(await findSubjects(compliance, text)), text).toEqual([exact])
})

test('a row of before account numbers were marked is found by the whole number alone, until it is rebuilt', async () => {
  const parts = [iban.slice(0, 8), iban.slice(-4), 'PT50…0154']
  await pool().query(`UPDATE identifier SET value = lower($1) WHERE value = '=' || lower($1) || '='`, [iban])
  for (const role of ['support', 'auditor', 'admin'] as const) {
    for (const text of parts)
      expect(await findSubjects(callerWith(role), text), text).toMatchObject({
        rows: [],
        exact: null,
        cut: false,
      })
    expect(await findSubjects(callerWith(role), iban)).toMatchObject({ exact: `bank-account:${account}` })
  }
  expect(idsOf(await findSubjects(callerWith('compliance'), iban.slice(0, 8)))).toEqual([
    `bank-account:${account}`,
  ])
  await pool().query(`UPDATE identifier SET value = '=' || value || '=' WHERE value = lower($1)`, [iban])
})

test('a company is found by its id, and what names nobody by what it carries', async () => {
  expect(await findSubjects(support, company)).toMatchObject({
    exact: `entity:${company}`,
    named: [{ latest: { type: 'KYB' }, startedAt: '2026-11-20T00:32:00.000Z' }],
  })
  const [unnamed] = idsOf(await findSubjects(support, `0x${'ef56'.repeat(10)}`))
  expect(unnamed).toMatch(/^unknown:/)
  expect((await getSubject(support, unnamed ?? ''))?.events).toMatchObject([{ type: 'walletCreated' }])
})

test('a person is found by uuid and e-mail with everything of theirs, newest first', async () => {
  const expected = [`bank-account:${account}`, ...transactions(uuids.slice(0, 10).reverse())]
  expect(idsOf(await findSubjects(support, ana))).toEqual(expected)
  const found = await findSubjects(support, ' Ana@Demo.test ')
  expect(found.explanation).toBe('E-mail Ana@Demo.test')
  expect(idsOf(found)).toEqual(expected)
  expect(idsOf(await findSubjects(support, 'nobody@demo.test'))).toEqual([])
})

test('a subject whose own id was pasted is listed apart from those that contain it, on the first page only', async () => {
  await pool().query(
    `INSERT INTO identifier SELECT 'transaction:' || uuid, $1, started_at FROM transaction WHERE user_uuid = $2`,
    [company, ana],
  )
  const first = await findSubjects(support, company, { limit: 6 })
  expect(first).toMatchObject({ exact: null, named: [{ subjectId: `entity:${company}` }] })
  const second = await findSubjects(support, company, { limit: 6, cursor: first.next ?? '' })
  expect(second).toMatchObject({ exact: null, named: [], next: null })
  expect([...first.rows, ...second.rows].map(({ subjectId }) => subjectId)).toEqual(
    transactions(uuids.slice(0, 10).reverse()),
  )
  await pool().query('DELETE FROM identifier WHERE value = $1 AND starts_with(subject_id, $2)', [
    company,
    'trans',
  ])
})

test('says why nothing can be searched by three characters', async () => {
  expect(await findSubjects(support, 'abc')).toMatchObject({ rows: [], exact: null })
})

test.each([
  '%',
  '\u0000abcd',
  '\ud800zzzz',
  "';--zzzz",
  'x'.repeat(1_000),
  '\u{10ffff}\u{10ffff}\u{10ffff}\u{10ffff}',
])('a search for nonsense (number %#) finds nothing', async (text) => {
  expect(idsOf(await findSubjects(support, text))).toEqual([])
})

test('refuses a cursor that no list gave out', async () => {
  await expect(findSubjects(support, ana, { cursor: 'x' })).rejects.toThrow(CursorRefused)
})

test('searching is for staff', async () => {
  const person = callerWith('end-user', { userUuid: ana })
  await expect(findSubjects(person, ana)).rejects.toThrow(NotAllowed)
  await expect(getSubject(person, `bank-account:${account}`)).rejects.toThrow(NotAllowed)
})

test('a customer with thousands of transactions gets the newest first, then each page once', async () => {
  const owner = crypto.randomUUID()
  await addMany(owner, 2_000, '')
  const all = Array.from({ length: 2_000 }, (_, n) => `many-${2_000 - n}`)
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const page = await findSubjects(support, owner, { cursor, limit: 200 })
    expect(page.total).toMatchObject({ exact: false })
    seen.push(...idsOf(page))
    cursor = page.next ?? undefined
  } while (cursor)
  expect(seen).toEqual(transactions(all))
  const part = await findSubjects(support, owner.slice(0, 8))
  expect(part).toMatchObject({ cut: false, exact: null })
  expect(idsOf(part)).toEqual(transactions(all.slice(0, 50)))
})

test('a partial id that matches too many ids says that matches are missing', async () => {
  await addMany(crypto.randomUUID(), 300, 'gb29nwbk')
  const compliance = callerWith('compliance')
  const { cut, rows, exact } = await findSubjects(compliance, 'GB29 NWBK')
  expect({ cut, exact, rows: rows.length }).toEqual({ cut: true, exact: null, rows: 50 })
  expect(await findSubjects(compliance, 'GB29NWBK2…99')).toMatchObject({ cut: false })
  // Rows with unmarked account numbers do not even say that there are many.
  expect(await findSubjects(support, 'GB29 NWBK')).toMatchObject({ cut: false, rows: [] })
})

/** The transactions of one user are a second apart; each has its own id with this beginning. */
const addMany = (owner: string, count: number, beginning: string) =>
  pool().query(
    `WITH made AS (
       INSERT INTO transaction (subject_id, uuid, user_uuid, details, flags, started_at, last_move_at)
       SELECT 'transaction:' || $3::text || 'many-' || n, $3 || 'many-' || n, $1, '{}', '{}',
         date_trunc('second', now()) + n * interval '1 s', now()
       FROM generate_series(1, $2::int) n RETURNING subject_id, uuid, user_uuid, started_at
     ) INSERT INTO identifier SELECT subject_id, value, started_at FROM made,
         LATERAL (VALUES (user_uuid), (CASE WHEN $3 <> '' THEN $3 || split_part(uuid, '-', 2) END)) AS v (value)
       WHERE value IS NOT NULL`,
    [owner, count, beginning],
  )
