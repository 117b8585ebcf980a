import crypto from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Role } from '#lib/access/rules/roles.ts'
import { appendPastDeliveries } from '#lib/deliveries/ingest/insert-deliveries.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { InvalidInput, NotAllowed, Refused, SignInAgain, TooMany } from '#lib/platform/refusals.ts'
import { listEvents } from '#lib/timeline/list-events.ts'
import { getEvent, getSubject } from '#lib/timeline/subject-details.ts'
import { auditReason } from '../../../test/audit-reason.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { englishOf } from '../../../test/english-of.ts'
import { foldWaiting, takeAllShards } from '../../../test/folding.ts'
import { addReceiver } from '../../../test/ingest.ts'
import { getTransaction } from '../get-transaction.ts'
import { listTransactions } from '../list-transactions.ts'
import { CheckMatchSchema, checkMatch, requireReason, revealBody, revealField } from './reveal.ts'

const ana = '11111111-1111-4111-8111-111111111111'
const transaction = crypto.randomUUID()
/** The other transactions have the same sender. */
const others = [crypto.randomUUID(), crypto.randomUUID()]
const of = { record: 'transaction', uuid: transaction } as const
const iban = 'DE89370400440532013000'
const account = crypto.randomUUID()
const accountNumber = '60161331926819'
const browser = newBrowser()
const reason = 'The customer asks'
let database: TestConfiguration
let events: Record<string, string>

beforeAll(async () => {
  database = await startDatabase()
  const { id: receiverId } = await addReceiver(pool())
  const said = [
    ...others.map((transactionUuid) => ({
      type: 'fiatToCrypto',
      subType: 'PENDING',
      uuid: ana,
      data: { transactionUuid, senderDetails: { accountDetails: { iban } } },
    })),
    {
      type: 'fiatToCrypto',
      subType: 'PENDING',
      uuid: ana,
      data: {
        transactionUuid: transaction,
        senderDetails: { senderName: 'Ana García', accountDetails: { iban: 'DE89 3704 0044 0532 0130 00' } },
      },
    },
    {
      type: 'unblockBankAccount',
      subType: 'statusUpdate',
      uuid: ana,
      data: { uuid: account, iban, account_number: accountNumber, bank_name: 'A Bank', status: 'ACTIVE' },
    },
    { type: 'AML', subType: 'statusUpdate', uuid: ana, data: { status: 'FAILED' } },
  ]
  await appendPastDeliveries(
    said.map((body, n) => ({
      receiverId,
      receivedAt: new Date(Date.now() - 60_000 + n * 1_000),
      body: Buffer.from(JSON.stringify(body)),
    })),
  )
  await foldWaiting(await takeAllShards(pool()))
  const { rows } = await pool().query<{ type: string; id: string }>(
    'SELECT type, id FROM event WHERE subject_id <> ALL($1)',
    [others.map((uuid) => `transaction:${uuid}`)],
  )
  events = Object.fromEntries(rows.map(({ type, id }) => [type, id]))
})
beforeEach(() => pool().query('TRUNCATE audit'))
afterAll(() => database.stop())

const field = 'parties.sender.iban'
const entries = async () =>
  (await pool().query(`SELECT action, target, outcome, ${auditReason}, details FROM audit`)).rows

test('support sees an IBAN masked, and has it shown whole with a reason that the audit keeps', async () => {
  const support = callerWith('support')
  const shown = await getTransaction(support, transaction)
  expect(shown).toMatchObject({
    parties: { sender: { iban: 'DE•••3000', name: 'Ana García' } },
    revealable: [field],
  })
  expect(JSON.stringify(shown)).not.toMatch(/3704|0532/)
  const { value } = await revealField(support, { ...of, field, reason }, browser)
  expect(value.replaceAll(' ', '')).toBe(iban)
  expect(await entries()).toEqual([
    { action: 'read.field', target: transaction, outcome: 'done', reason, details: { field, person: ana } },
  ])
})

test('each number of a customer’s own account is shown whole alone, with a reason, to those who see it masked', async () => {
  const support = callerWith('support')
  const subject = `bank-account:${account}`
  const shown = await getSubject(support, subject)
  const masked = { iban: 'DE•••3000', accountNumber: expect.stringContaining('•'), bankName: 'A Bank' }
  expect(shown?.account).toMatchObject({ ...masked, revealable: ['iban', 'accountNumber'] })
  const ask = (role: Role, asked: string) =>
    revealField(callerWith(role), { record: 'account', uuid: account, field: asked, reason }, browser)
  expect(await ask('support', 'accountNumber')).toEqual({ value: accountNumber })
  expect(await entries()).toEqual([
    {
      action: 'read.field',
      target: account,
      outcome: 'done',
      reason,
      details: { field: 'accountNumber', person: ana },
    },
  ])
  expect(await ask('admin', 'iban')).toEqual({ value: iban })
  expect((await getSubject(callerWith('compliance'), subject))?.account).toMatchObject({
    iban,
    revealable: [],
  })
  expect((await getSubject(callerWith('auditor'), subject))?.account).toMatchObject({
    ...masked,
    revealable: [],
  })
  for (const [role, asked] of [
    ['auditor', 'iban'],
    ['compliance', 'iban'],
    ['end-user', 'iban'],
    ['support', 'bankName'],
  ] as const)
    await expect(ask(role, asked)).rejects.toThrow(NotAllowed)
  const old = callerWith('support', { signedInAt: new Date(Date.now() - 16 * 60_000).toISOString() })
  const form = { record: 'account', uuid: account, field: 'iban', reason } as const
  await expect(revealField(old, form, browser)).rejects.toThrow(SignInAgain)
})

test('a page or a list that is read is counted with whose data it is', async () => {
  await pool().query('TRUNCATE audit_counter')
  const support = callerWith('support')
  await getTransaction(support, transaction)
  await getSubject(support, `bank-account:${account}`)
  await getEvent(support, events.AML ?? '')
  await listTransactions(support, { userUuid: ana })
  await listEvents(support, { userUuid: ana })
  // These pages name nobody.
  await listTransactions(support)
  await listEvents(support)
  const { rows } = await pool().query('SELECT action, person, count FROM audit_counter ORDER BY action')
  expect(rows).toEqual(
    [
      ['read.event', 1],
      ['read.list', 2],
      ['read.subject', 1],
      ['read.transaction', 1],
    ].map(([action, count]) => ({ action, person: ana, count })),
  )
})

test('admins are told once a day who has whose masked data shown, and not of one whose role sees it plain', async () => {
  const reported = async () =>
    (
      await pool().query(
        `SELECT actor_name, about FROM admin_notice WHERE kind = 'data-revealed' ORDER BY id`,
      )
    ).rows
  await pool().query('TRUNCATE admin_notice')
  const kim = callerWith('support', { name: 'Kim' })
  await revealField(kim, { ...of, field, reason }, browser)
  await revealBody(kim, { event: events.fiatToCrypto ?? '', reason }, browser)
  await revealField(callerWith('admin', { name: 'Lee' }), { ...of, field, reason }, browser)
  await revealBody(
    callerWith('compliance', { name: 'Max' }),
    { event: events.fiatToCrypto ?? '', reason: '' },
    browser,
  )
  expect(await reported()).toEqual([
    { actor_name: 'Kim', about: ana },
    { actor_name: 'Lee', about: ana },
  ])
  await pool().query(`UPDATE admin_notice SET at = at - interval '1 day'`)
  await revealField(kim, { ...of, field, reason }, browser)
  expect(await reported()).toEqual([
    { actor_name: 'Kim', about: ana },
    { actor_name: 'Lee', about: ana },
    { actor_name: 'Kim', about: ana },
  ])
})

test('nobody has a field shown that their role does not ask for, or that is none', async () => {
  for (const [role, asked] of [
    ['auditor', field],
    ['end-user', field],
    ['compliance', field],
    ['support', 'parties.sender.name'],
    ['support', 'parties'],
    ['support', '__proto__'],
    ['support', 'parties.beneficiary.accountNumber'],
  ] as const)
    await expect(revealField(callerWith(role), { ...of, field: asked, reason }, browser)).rejects.toThrow(
      NotAllowed,
    )
  const old = callerWith('support', { signedInAt: new Date(Date.now() - 16 * 60_000).toISOString() })
  await expect(revealField(old, { ...of, field, reason }, browser)).rejects.toThrow(SignInAgain)
  expect(await entries()).toEqual([])
})

test('a body is shown whole with a reason; to compliance without one; both are in the audit', async () => {
  const event = events.fiatToCrypto ?? ''
  await expect(revealBody(callerWith('support'), { event }, browser)).rejects.toMatchObject({
    fields: { reason: 'Enter a reason (3+ characters).' },
  })
  const { body } = await revealBody(callerWith('support'), { event, reason }, browser)
  expect(JSON.parse(body)).toMatchObject({ data: { transactionUuid: transaction } })
  const old = callerWith('support', { signedInAt: new Date(Date.now() - 16 * 60_000).toISOString() })
  await expect(revealBody(old, { event, reason }, browser)).rejects.toThrow(SignInAgain)
  await revealBody(callerWith('compliance'), { event }, browser)
  const details = { subject: `transaction:${transaction}`, person: ana }
  expect(await entries()).toEqual([
    { action: 'read.body', target: event, outcome: 'done', reason, details },
    { action: 'read.body', target: event, outcome: 'done', reason: null, details },
  ])
})

test('what a check says is shown to compliance and admins alone', async () => {
  const event = events.AML ?? ''
  for (const role of ['end-user', 'support', 'auditor'] as const)
    await expect(revealBody(callerWith(role), { event, reason }, browser)).rejects.toThrow(NotAllowed)
  for (const role of ['compliance', 'admin'] as const)
    expect((await revealBody(callerWith(role), { event, reason }, browser)).body).toContain('FAILED')
  await expect(
    revealBody(callerWith('admin'), { event: crypto.randomUUID(), reason }, browser),
  ).rejects.toThrow(Refused)
})

test('whether something matches is answered yes or no, and kept without what was said', async () => {
  const support = callerWith('support')
  const ask = (said: string, of = 'parties.sender.iban' as const) =>
    checkMatch(support, { transaction, field: of, said }, browser)
  expect(await ask('de89 3704 0044 0532 0130 00')).toEqual({ matches: true })
  expect(await ask('DE89 3704 0044 0532 0130 01')).toEqual({ matches: false })
  expect(
    await checkMatch(support, { transaction, field: 'parties.sender.name', said: 'ana garcia' }, browser),
  ).toEqual({ matches: true })
  const kept = await entries()
  expect(kept.map(({ details }) => details.matches)).toEqual([true, false, true])
  expect(JSON.stringify(kept)).not.toMatch(/garcia|3704/i)
  await expect(
    checkMatch(support, { transaction, field: 'parties.beneficiary.name', said: 'ana' }, browser),
  ).rejects.toThrow(Refused)
  await expect(
    checkMatch(callerWith('auditor'), { transaction, field: 'parties.sender.iban', said: 'xx' }, browser),
  ).rejects.toThrow(NotAllowed)
})

test('a number may come after a label, and a name in another order, but neither in part', async () => {
  const caller = callerWith('support')
  const ask = async (field: 'parties.sender.iban' | 'parties.sender.name', said: string) =>
    (await checkMatch(caller, { transaction, field, said: CheckMatchSchema.shape.said.parse(said) }, browser))
      .matches
  expect(await ask('parties.sender.iban', 'IBAN: DE89 3704 0044 0532 0130 00')).toBe(true)
  expect(await ask('parties.sender.iban', 'Konto (DE89370400440532013000), Ana')).toBe(true)
  expect(await ask('parties.sender.iban', 'IBAN: ES91 2100 0418 4502 0005 1332')).toBe(false)
  expect(await ask('parties.sender.iban', '3704 DE89 0044 0532 0130 00')).toBe(false)
  expect(await ask('parties.sender.iban', 'IBAN DE89 3704')).toBe(false)
  expect(await ask('parties.sender.name', 'Ms GARCÍA, Ana')).toBe(true)
  expect(await ask('parties.sender.name', 'García')).toBe(false)
})

test('where the settings ask for a ticket, a reason without one reveals nothing', async () => {
  await pool().query(
    `INSERT INTO setting (key, value) VALUES ('settings', '{"revealTicketPattern": "HELP-\\\\d+"}')`,
  )
  const ask = (why: string) => revealField(callerWith('support'), { ...of, field, reason: why }, browser)
  await expect(ask(reason)).rejects.toMatchObject({ fields: { reason: expect.stringContaining('HELP-') } })
  expect((await ask('Asked in HELP-4711')).value).toContain('DE89')
  await pool().query(`DELETE FROM setting WHERE key = 'settings'`)
})

test('nobody guesses a number by asking often', async () => {
  const support = callerWith('support')
  const ask = () => checkMatch(support, { transaction, field, said: 'DE00' }, browser)
  for (let n = 0; n < 10; n++) await ask()
  await expect(ask()).rejects.toThrow(TooMany)
})

test('nobody guesses it from day to day either, nor by asking of other transactions that hold it', async () => {
  const support = callerWith('support')
  const ask = (one: string) => checkMatch(support, { transaction: one, field, said: 'DE00' }, browser)
  for (const one of [transaction, others[0] ?? '']) for (let n = 0; n < 10; n++) await ask(one)
  await expect(ask(others[1] ?? '').catch(englishOf)).resolves.toMatchObject({
    next: 'Wait 24 hours, then try again.',
  })
  expect(await checkMatch(callerWith('support'), { transaction, field, said: iban }, browser)).toEqual({
    matches: true,
  })
})

const setPattern = (revealTicketPattern: string) =>
  pool().query(
    `INSERT INTO setting (key, value) VALUES ('settings', $1) ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value`,
    [{ revealTicketPattern }],
  )

test.each(['^([A-Z]+-?\\d*,? ?)+$', '(A+)+!!', '^(A|A?)+$', '(?:A*A*)*B', '^(A|AA)+$'])(
  'no pattern for tickets stops the server, whatever support gives as a reason: %s',
  async (pattern) => {
    await setPattern(pattern)
    await expect(requireReason(`${'A'.repeat(499)}!`)).rejects.toThrow(InvalidInput)
    expect(await requireReason('A').catch(() => null)).toBe(pattern.endsWith('$') ? 'A' : null)
  },
)

test('a pattern of before that nothing reads in bounded time reveals nothing', async () => {
  await setPattern('^(?=HELP)HELP-1$')
  await expect(requireReason('HELP-1')).rejects.toThrow(InvalidInput)
  await pool().query(`DELETE FROM setting WHERE key = 'settings'`)
})
