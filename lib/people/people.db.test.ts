import crypto from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { ActionContext, Caller } from '#lib/access/caller.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import { listAudit } from '#lib/audit/list-audit.ts'
import { openSession } from '#lib/identity/sessions/open-session.ts'
import { readSession } from '#lib/identity/sessions/read-session.ts'
import { pauseKey } from '#lib/identity/sign-in/code-limits.ts'
import { requestCode } from '#lib/identity/sign-in/request-code.ts'
import { rememberBrowser } from '#lib/identity/sign-in/sign-up-record.ts'
import { saveToDirectory } from '#lib/identity/users/directory.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { openListener } from '#lib/platform/db/listen.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { env } from '#lib/platform/env.ts'
import { resetLimit } from '#lib/platform/limits/limits.ts'
import { CursorRefused, InvalidInput, NotAllowed, Refused } from '#lib/platform/refusals.ts'
import { findSubjects } from '#lib/search/find-subjects.ts'
import { search } from '#lib/search/search.ts'
import { revealBirthDate } from '#lib/transactions/reveal/reveal.ts'
import { personStatuses } from '#lib/words/labels/worst-first.ts'
import { auditReason } from '../../test/audit-reason.ts'
import { recordBounce } from '../../test/bounces.ts'
import { callerWith, newBrowser } from '../../test/callers.ts'
import { startService, type TestService } from '../../test/service.ts'
import { beginErasure, runErasure } from './erasure/erase-user.ts'
import { getPerson } from './get-person.ts'
import { listPeople, readPersonLanguage, searchPeople } from './list-people.ts'
import { addPerson, endPersonSessions, setCustomerNumber } from './manage-people.ts'
import { listOwnWallets } from './own/get-profile.ts'

const admin = callerWith('admin')
const support = callerWith('support')
const browser = newBrowser()
let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const aPerson = (given: object = {}) => ({
  email: `${crypto.randomUUID()}@demo.test`,
  firstName: 'Ana',
  lastName: 'Lima',
  country: 'ES',
  ...given,
})

async function known(given: {
  userUuid?: string
  email?: string
  targetAddress?: string
  firstName?: string
  lastName?: string
  number?: string
}) {
  const { userUuid = crypto.randomUUID(), email = null, targetAddress = null } = given
  const { firstName = null, lastName = null, number = null } = given
  const user = { userUuid, email, firstName, lastName, targetAddress, country: null, status: null }
  await inTransaction(pool(), (tx) => saveToDirectory(tx, user, 'sign-in', number))
  return userUuid
}

/** The service gave this status when it was asked now; null when it gave none. */
const saveStatus = (userUuid: string, status: string | null) => {
  const user = {
    userUuid,
    status,
    email: null,
    firstName: null,
    lastName: null,
    targetAddress: null,
    country: null,
  }
  return inTransaction(pool(), (tx) => saveToDirectory(tx, user, 'delivery'))
}

/** The new session has this id. */
async function signIn(userUuid: string): Promise<string> {
  const who = {
    userUuid,
    memberId: null,
    method: 'code',
    serviceSessionId: 'a session there',
    role: 'end-user',
  } as const
  const token = await inTransaction(pool(), (tx) => openSession(tx, who, newBrowser(), new Date()))
  const caller = await readSession(token, new Date())
  if (!caller) throw new Error('nobody is signed in')
  return caller.sessionId
}

const audited = async (target: string) =>
  (
    await pool().query('SELECT action, actor, outcome, details FROM audit WHERE target = $1 ORDER BY at', [
      target,
    ])
  ).rows

const uuids = async (q: string, caller = support) =>
  (await listPeople(caller, { q })).rows.map(({ userUuid }) => userUuid)

it('finds people by the beginning of any of their values', async () => {
  const carla = await known({
    email: 'Carla@demo.test',
    firstName: 'Carla',
    lastName: 'Öztürk Weiß',
    number: 'KD 77-1',
  })
  for (const q of [
    'carla',
    'CARLA@',
    'carla ozturk',
    'Öztürk',
    'weiß',
    'kd 77',
    '📧carla@demo.test',
    carla.slice(0, 9),
  ])
    expect(await uuids(q), q).toEqual([carla])
  expect(await uuids('arla')).toEqual([])
})

it('reads a pasted text as the search does', async () => {
  const nadia = await known({
    userUuid: '2046967a-85f9-4a5c-9d3e-0123456d1329',
    email: 'nadia@demo.test',
    targetAddress: `0x26d0abcdef${'0123456789'.repeat(2)}01234567abcd`,
    firstName: 'Nadia',
    lastName: 'Lima Jr.',
    number: 'K-4711',
  })
  // The ids of somebody else begin alike.
  await known({
    userUuid: '2046967a-85f9-4a5c-9d3e-0123456d1320',
    targetAddress: `0x26d0abcdee${'0123456789'.repeat(2)}01234567abce`,
  })
  const whole = [
    ...['"Nadia Lima Jr."', '“Nadia Lima Jr.”', 'Nadia Lima Jr.,', '(Nadia Lima Jr)', '<Nadia Lima Jr.>'],
    ...['Nadia Lima Jr’s', '• Nadia Lima Jr.', 'Name: Nadia Lima Jr.', 'Nadia Lima Jr.'],
    ...['Customer number: K-4711', 'Kunde K-4711', '#K-4711', '"K-4711"', '="K-4711"', "'K-4711", 'K-4711.'],
    ...['Nadia <nadia@demo.test>', 'ID 2046967a-85f9-4a5c-9d3e-0123456d1329'],
    ...['2046967a85f94a5c9d3e0123456d1329', `26d0abcdef${'0123456789'.repeat(2)}01234567abcd`],
  ]
  const parts = [
    ...['"Nadia L"', 'Customer number: K-47', '26d0abcdef'],
    ...['2046967a…d1329', '0x26D0…abcd', 'Person 2046967a…d1329'],
  ]
  for (const q of [...whole, ...parts]) expect(await uuids(q), q).toEqual([nadia])
  for (const q of ['ID 2046967a', '(2046967a)', '2046967a…']) expect(await uuids(q), q).toHaveLength(2)
  // A short number behind a word is a whole one, not the beginning of ids.
  expect(await uuids('Customer number: 20')).toEqual([])
  const auditor = callerWith('auditor')
  for (const q of whole) expect(await uuids(q, auditor), q).toEqual([nadia])
  for (const q of [...parts, 'ID 2046967a']) expect(await uuids(q, auditor), q).toEqual([])
})

it('lists everybody to a role that finds people by whole terms alone', async () => {
  const [everybody, seen] = await Promise.all([
    listPeople(support),
    listPeople(callerWith('auditor'), { q: ' ' }),
  ])
  expect(everybody.rows.length).toBeGreaterThan(0)
  expect(seen.rows.map(({ userUuid }) => userUuid)).toEqual(everybody.rows.map(({ userUuid }) => userUuid))
  expect(seen.total).toEqual(everybody.total)
})

it('finds everybody whom a pasted text names', async () => {
  const rosa = await known({
    email: 'rosa@demo.test',
    firstName: 'Rosa',
    lastName: 'Quill',
    number: 'Q-8811',
  })
  const nils = await known({
    email: 'nils@demo.test',
    firstName: 'Nils',
    lastName: 'Quant',
    number: 'Q-8822',
  })
  for (const q of [
    ...[`${rosa} ${nils}`, `${nils}, ${rosa}`, `${rosa} and ${nils.replaceAll('-', '')}`],
    ...['rosa@demo.test, nils@demo.test', 'To: Nils <nils@demo.test>; Rosa <rosa@demo.test>'],
    ...[`nils@demo.test ${rosa}`, 'Q-8811, Q-8822', 'Rosa Quill\nnils@demo.test'],
  ])
    for (const caller of [support, callerWith('auditor')])
      expect((await uuids(q, caller)).toSorted(), q).toEqual([rosa, nils].toSorted())
})

it('reads as many lines as the search does, and says when there are more', async () => {
  const last = await known({ firstName: 'Yrsa', lastName: 'Zweig' })
  const others = (count: number) => Array.from({ length: count }, () => crypto.randomUUID())
  const found = (lines: readonly string[]) => listPeople(support, { q: lines.join('\n') })
  expect(await found([...others(99), 'Yrsa Zweig'])).toMatchObject({ rows: [{ userUuid: last }], cut: false })
  expect(await found([...others(100), 'Yrsa Zweig'])).toMatchObject({ rows: [], cut: true })
})

it('reads no term for a tail behind a short head', async () => {
  const targetAddress = `0x26d1abcdef${'0123456789'.repeat(2)}01234567abcd`
  const ines = await known({ userUuid: '7046967a-85f9-4a5c-9d3e-0123456d1777', targetAddress })
  for (const q of ['7046…d1777', '0x26d1…abcd']) expect(await uuids(q), q).toEqual([ines])
  for (const q of ['704…d1777', '7…d1777', '0x…567abcd', '0x26d…567abcd'])
    expect(await uuids(q), q).toEqual([])
})

it('takes the language of a person from their country in the directory', async () => {
  const userUuid = await known({})
  expect(await readPersonLanguage(support, userUuid)).toBe(null)
  await pool().query(`UPDATE person SET country = 'AT' WHERE user_uuid = $1`, [userUuid])
  expect(await readPersonLanguage(support, userUuid)).toBe('de')
  expect(await readPersonLanguage(support, crypto.randomUUID())).toBe(null)
})

it('shows an auditor people masked, and finds them only by whole terms', async () => {
  const auditor = callerWith('auditor')
  const berta = await known({ email: 'berta@demo.test', firstName: 'Berta', lastName: 'Roth' })
  expect(await uuids('bert', auditor)).toEqual([])
  const { rows } = await listPeople(auditor, { q: 'Berta@demo.test' })
  expect(rows).toMatchObject([{ userUuid: berta, email: 'b•••@demo.test', name: 'B••• R•••' }])
  await expect(listPeople(callerWith('end-user'))).rejects.toThrow(NotAllowed)
})

it('leaves the team out of customers, and finds its members all the same', async () => {
  const [staff, left] = [await known({ firstName: 'Stella' }), await known({ firstName: 'Stefan' })]
  const customer = await known({ firstName: 'Stina' })
  const before = (await listPeople(support)).total?.count
  await pool().query(
    `INSERT INTO member (id, user_uuid, name, role, removed_at)
     VALUES (gen_random_uuid(), $1, 'Stella', 'support', NULL), (gen_random_uuid(), $2, 'Stefan', 'support', now())`,
    [staff, left],
  )
  const { rows, total } = await listPeople(support)
  expect(rows.slice(0, 2).map(({ userUuid }) => userUuid)).toEqual([customer, left])
  expect(rows.map(({ userUuid }) => userUuid)).not.toContain(staff)
  expect(total?.count).toBe((before ?? 0) - 1)
  expect(await uuids('Stella')).toEqual([staff])
})

it('gives each search a link that opens it, masked for roles that may not read the text', async () => {
  const dora = await known({ email: 'dora.link@demo.test', firstName: 'Dora', lastName: 'Link' })
  const found = await searchPeople(support, { q: ' Dora Link ' })
  if (found === null || found === 'erased') throw new Error('no page')
  expect(found).toMatchObject({ text: 'Dora Link', link: expect.stringMatching(/^[0-9a-f-]{36}$/) })
  const link = found.link ?? ''
  const people = [{ userUuid: dora }]
  expect(await searchPeople(support, { link })).toMatchObject({ text: 'Dora Link', link, rows: people })
  expect(await searchPeople(admin, { link })).toMatchObject({ text: 'Dora Link', rows: people })
  const auditor = callerWith('auditor')
  expect(await searchPeople(auditor, { link })).toMatchObject({ text: 'D••• L•••', rows: people })
  const iban = await searchPeople(callerWith('compliance'), { q: 'PT50000201231234567890154' })
  expect(
    await searchPeople(support, { link: iban === null || iban === 'erased' ? '' : (iban.link ?? '') }),
  ).toMatchObject({ text: 'PT•••0154' })
  // A link opens only in the place where it was made: each place masks texts in its own way.
  expect(await search(support, { link })).toBeNull()
  expect(await searchPeople(support, { link: (await search(support, { text: dora })).link ?? '' })).toBeNull()
  expect(await searchPeople(support, {})).toMatchObject({ text: '', link: null, total: { exact: true } })
  const counted = 'SELECT sum(count)::int AS count FROM audit_counter WHERE actor = $1'
  expect((await pool().query(counted, [auditor.id])).rows).toEqual([{ count: 1 }])
  await expect(searchPeople(callerWith('end-user'), { link })).rejects.toThrow(NotAllowed)
  await inTransaction(pool(), (tx) => beginErasure(tx, dora)).then((id) => runErasure(pool(), id))
  expect(await searchPeople(support, { link })).toBe('erased')
})

it('lists everybody once, page by page, and refuses a changed cursor', async () => {
  for (let i = 0; i < 5; i++) await known({ lastName: `Paged ${i}` })
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const page = await listPeople(support, { q: 'paged', limit: 2, cursor })
    seen.push(...page.rows.map(({ userUuid }) => userUuid))
    cursor = page.next ?? undefined
  } while (cursor)
  expect(new Set(seen).size).toBe(5)
  expect(seen.length).toBe(5)
  expect((await listPeople(support)).total).toMatchObject({ exact: true })
  await expect(listPeople(support, { cursor: 'x' })).rejects.toThrow(CursorRefused)
})

it('finds somebody without any event by e-mail and by the merchant’s own number, from anywhere', async () => {
  const userUuid = await known({ email: 'dora@demo.test', number: 'CUST-0815' })
  const person = { userUuid, email: 'dora@demo.test', customerNumber: 'CUST-0815' }
  expect(await findSubjects(support, 'Dora@demo.test')).toMatchObject({ people: [person], rows: [] })
  expect(await findSubjects(support, ' cust-0815 ')).toMatchObject({ people: [person] })
  expect(await findSubjects(support, 'cust-08')).toMatchObject({ people: [{ customerNumber: 'CUST-0815' }] })
  expect(await findSubjects(callerWith('auditor'), 'cust-08')).toMatchObject({ people: [] })
  const other = callerWith('end-user')
  await expect(findSubjects(other, 'CUST-0815')).rejects.toThrow(NotAllowed)
})

it('adds a person at the service, with the merchant’s own number, and reports an address that is taken', async () => {
  const form = { ...aPerson(), customerNumber: 'N-1' }
  await expect(addPerson(support, form, browser)).rejects.toThrow(NotAllowed)
  const { userUuid } = await addPerson(admin, form, browser)
  expect(await listPeople(support, { q: 'n-1' })).toMatchObject({ rows: [{ userUuid, email: form.email }] })
  expect(await audited(userUuid)).toMatchObject([{ action: 'user.add', outcome: 'done' }])
  await expect(addPerson(admin, form, browser)).rejects.toThrow(InvalidInput)
  await expect(addPerson(admin, aPerson({ country: 'XX' }), browser)).rejects.toThrow(InvalidInput)
  service.answerWith(503, (route) => route === 'POST /user')
  await expect(addPerson(admin, aPerson(), browser)).rejects.toThrow(Refused)
})

it('changes the merchant’s own number and audits who did, without the number, which no erasure would reach', async () => {
  const userUuid = await known({ email: 'emma@demo.test' })
  await setCustomerNumber(support, { userUuid, customerNumber: 'E-9' }, browser)
  expect(await uuids('e-9')).toEqual([userUuid])
  await setCustomerNumber(support, { userUuid, customerNumber: null }, browser)
  expect(await uuids('e-9')).toEqual([])
  expect(await audited(userUuid)).toMatchObject([
    { action: 'user.customer-number', details: { number: 'given' } },
    { action: 'user.customer-number', details: { number: 'removed' } },
  ])
  expect(JSON.stringify(await audited(userUuid))).not.toContain('E-9')
  const nobody = { userUuid: crypto.randomUUID(), customerNumber: 'x' }
  await expect(setCustomerNumber(support, nobody, browser)).rejects.toThrow(Refused)
  const allowed = { userUuid, customerNumber: 'x' }
  await expect(setCustomerNumber(callerWith('auditor'), allowed, browser)).rejects.toThrow(NotAllowed)
})

it('keeps a number that somebody else changed while the form was open', async () => {
  const userUuid = await known({ email: 'finn@demo.test' })
  await setCustomerNumber(support, { userUuid, customerNumber: 'F-1', seen: '' }, browser)
  const second = setCustomerNumber(admin, { userUuid, customerNumber: 'F-2', seen: '' }, browser)
  await expect(second).rejects.toThrow('Somebody else has changed this meanwhile.')
  expect(await uuids('f-1')).toEqual([userUuid])
  await setCustomerNumber(admin, { userUuid, customerNumber: 'F-1', seen: '' }, browser)
  for (const seen of ['F-1', undefined])
    await expect(
      setCustomerNumber(admin, { userUuid, customerNumber: 'F-1', seen }, browser),
    ).rejects.toThrow('Nothing to change.')
  expect(await audited(userUuid)).toHaveLength(1)
  await setCustomerNumber(admin, { userUuid, customerNumber: 'F-2', seen: 'F-1' }, browser)
  expect(await uuids('f-2')).toEqual([userUuid])
})

it('shows a person’s profile, wallets, bounce and sessions, and audits once who read them', async () => {
  const { userUuid } = await addPerson(admin, aPerson(), browser)
  const wallet = '0x26D0000000000000000000000000000000008932'
  await pool().query(
    `INSERT INTO transaction (subject_id, uuid, user_uuid, details, flags, started_at, last_move_at)
     VALUES ('transaction:t-1', 't-1', $1, $2, '{}', now(), now())`,
    [userUuid, { walletAddress: wallet }],
  )
  const body = { type: 'otpNotification', uuid: userUuid, data: { diagnosticCode: 'smtp; 550 no such user' } }
  await pool().query(
    `INSERT INTO event (subject_id, id, fingerprint, type, entity_uuid, position, deliveries, first_received_at,
       last_received_at, flags, envelope)
     VALUES ($1, $2, '', 'otpNotification', $3, 0, 1, now(), now(), '{}', $4)`,
    [`entity:${userUuid}`, uuidv7(), userUuid, Buffer.from(JSON.stringify(body))],
  )
  await pool().query(`INSERT INTO identifier (subject_id, value, started_at) VALUES ($1, $2, now())`, [
    `entity:${userUuid}`,
    userUuid,
  ])
  const details = await getPerson(support, userUuid, browser)
  expect(details).toMatchObject({
    person: { name: 'Ana Lima' },
    profile: { kind: 'read', dateOfBirth: null },
    wallets: [{ address: wallet, signsIn: false, created: false, used: true }],
    hasMoreWallets: false,
    signIn: {
      codeSentAt: null,
      strangersStoppedAt: null,
      signUpWallet: null,
      bounce: { diagnosticCode: 'smtp; 550 no such user' },
      sessions: [],
      codes: [],
      waits: { knownBrowsers: null, strangers: null, strangersTyping: null },
    },
  })
  await getPerson(support, userUuid, browser)
  expect((await audited(userUuid)).filter(({ action }) => action === 'read.person')).toHaveLength(1)
  await getPerson(admin, userUuid, browser)
  expect((await audited(userUuid)).filter(({ action }) => action === 'read.person')).toHaveLength(2)
})

it('lists a wallet that was created for a person, for staff and on their own page alike', async () => {
  const { userUuid } = await addPerson(admin, aPerson(), browser)
  const [made, used] = [`0xA3a9${'0'.repeat(32)}4b8e`, `0x26d0${'0'.repeat(32)}8932`]
  const envelope = {
    type: 'walletCreated',
    subType: 'WALLET_CREATED',
    uuid: userUuid,
    data: { walletAddress: made },
  }
  await pool().query(
    `INSERT INTO event (subject_id, id, type, fingerprint, entity_uuid, position, deliveries, first_received_at, last_received_at, flags, envelope)
     VALUES ('entity:' || $2::text, $1, 'walletCreated', '', $2, 0, 1, now(), now(), '{}', $3)`,
    [uuidv7(), userUuid, Buffer.from(JSON.stringify(envelope))],
  )
  await pool().query(
    `INSERT INTO transaction (subject_id, uuid, user_uuid, details, flags, started_at, last_move_at)
     SELECT 'transaction:' || name, name, $1, jsonb_build_object('walletAddress', address), '{}', now(), now()
     FROM unnest($2::text[], $3::text[]) AS made (name, address)`,
    [userUuid, [crypto.randomUUID(), crypto.randomUUID()], [used, made.toLowerCase()]],
  )
  const wallets = (await getPerson(admin, userUuid, browser))?.wallets
  expect(wallets).toEqual([
    { address: made, signsIn: false, created: true, used: true },
    { address: used, signsIn: false, created: false, used: true },
  ])
  expect(await listOwnWallets(callerWith('end-user', { userUuid }))).toEqual(wallets)
})

it('shows the latest eight wallets of a person, and that there are more', async () => {
  const { userUuid } = await addPerson(admin, aPerson({ email: 'wallets@demo.test' }), browser)
  const addTransaction = (n: number) =>
    pool().query(
      `INSERT INTO transaction (subject_id, uuid, user_uuid, details, flags, started_at, last_move_at)
       VALUES ('transaction:w-' || $2, 'w-' || $2, $1, $3, '{}', now() + $2::int * interval '1 s', now())`,
      [userUuid, `${n}`, { walletAddress: `0x${n}` }],
    )
  for (let n = 1; n <= 8; n++) await addTransaction(n)
  expect(await getPerson(support, userUuid, browser)).toMatchObject({ hasMoreWallets: false })
  await addTransaction(9)
  const details = await getPerson(support, userUuid, browser)
  expect(details?.wallets.map(({ address }) => address)).toEqual(
    [9, 8, 7, 6, 5, 4, 3, 2].map((n) => `0x${n}`),
  )
  expect(details?.hasMoreWallets).toBe(true)
})

it('shows which codes were asked for in the last day, and until when somebody has to wait', async () => {
  const { userUuid } = await addPerson(admin, aPerson({ email: 'codes@demo.test' }), browser)
  const firefox = { userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' }
  const asks = (from: ActionContext) => requestCode({ email: 'codes@demo.test' }, from)
  for (let n = 0; n < 5; n++) await asks({ ...newBrowser(), ...firefox })
  await expect(asks(newBrowser())).rejects.toThrow(Refused)
  const help = async () => (await getPerson(support, userUuid, browser))?.signIn
  expect(await help()).toMatchObject({
    codes: Array(5).fill({ at: expect.any(String), why: null, ...firefox }),
    waits: { knownBrowsers: null, strangers: expect.any(String), strangersTyping: null },
  })
  const wait = Date.parse((await help())?.waits.strangers ?? '') - Date.now()
  expect(wait).toBeGreaterThan(0)
  expect(wait).toBeLessThan(16 * 60_000)

  const known = newBrowser()
  await inTransaction(pool(), (tx) => rememberBrowser(tx, userUuid, known.browserId))
  for (let n = 0; n < 4; n++) {
    await asks(known)
    await resetLimit('code-pause', pauseKey('codes@demo.test', known.browserId))
  }
  expect((await help())?.waits).toMatchObject({ knownBrowsers: expect.any(String) })
  await pool().query(
    `UPDATE audit SET at = at - interval '25 hours' WHERE target = $1 AND action = 'code.request'`,
    [userUuid],
  )
  expect((await help())?.codes).toEqual([])
})

it.each([-1_500, 1_500])(
  'shows that a session lasts where this machine’s clock is %s minutes ahead of the database’s',
  async (ahead) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ahead * 60_000, shouldAdvanceTime: true })
    try {
      const userUuid = await known({ firstName: 'Ana' })
      const [over, lasting] = [await signIn(userUuid), await signIn(userUuid)]
      await pool().query('UPDATE session SET idle_expires_at = $2, created_at = $2 WHERE id = $1', [
        over,
        new Date(Date.now() - 60_000),
      ])
      const sessions = (await getPerson(support, userUuid, browser))?.signIn?.sessions
      expect(sessions?.map(({ id, ended }) => [id, ended])).toEqual([
        [lasting, null],
        [over, 'expired'],
      ])
    } finally {
      vi.useRealTimers()
    }
  },
)

it('an admin ends one session of a user, or all, at once and for a reason', async () => {
  const { userUuid } = await addPerson(admin, aPerson(), browser)
  const [one, two, three] = await Promise.all([signIn(userUuid), signIn(userUuid), signIn(userUuid)])
  const other = await signIn(crypto.randomUUID())
  const ended: string[] = []
  const listener = openListener(env().databaseDirectUrl)
  listener.subscribe('session_ended', (id) => ended.push(id))
  await new Promise<void>((resolve) => listener.onListening(resolve))
  const reason = 'a stolen phone'
  const end = (caller: Caller, sessionId?: string) =>
    endPersonSessions(caller, { userUuid, sessionId, reason }, browser)
  for (const role of ['end-user', 'support', 'compliance', 'auditor'] as const)
    await expect(end(callerWith(role))).rejects.toThrow(NotAllowed)
  await expect(end(admin, other)).rejects.toThrow('There is no such session any more.')
  expect(await end(admin, one)).toEqual({ ended: 1 })
  const sessions = (await getPerson(support, userUuid, browser))?.signIn?.sessions
  expect(sessions?.map(({ id, ended }) => [id, ended]).at(-1)).toEqual([one, 'by-admin'])
  expect(await end(admin)).toEqual({ ended: 2 })
  await expect(end(admin)).rejects.toThrow('There is no such session any more.')
  // Open pages listen for the sessions that end.
  await expect.poll(() => ended.toSorted()).toEqual([one, two, three].toSorted())
  await listener.close()
  const { rows } = await pool().query(
    `SELECT actor, ${auditReason}, details->>'why' AS why FROM audit WHERE target = $1 AND action = 'session.end'`,
    [userUuid],
  )
  expect(rows).toEqual(Array(3).fill({ actor: admin.id, reason, why: 'by-admin' }))
  const left = await pool().query('SELECT FROM session WHERE id = $1 AND ended_at IS NULL', [other])
  expect(left.rowCount).toBe(1)
})

it('shows the last known data when the service does not answer, and nobody when nobody is known', async () => {
  const { userUuid } = await addPerson(admin, aPerson(), browser)
  service.answerWith(503, (route) => route === 'GET /user', 2)
  expect(await getPerson(support, userUuid, browser)).toMatchObject({
    person: { name: 'Ana Lima' },
    profile: { kind: 'unavailable' },
  })
  expect(await getPerson(support, crypto.randomUUID(), browser)).toBe(null)
  expect(await getPerson(support, 'no-uuid', browser)).toBe(null)
})

it('marks in the directory a verification that depends on a doubt', async () => {
  const [doubted, sure] = [
    await known({ email: `${crypto.randomUUID()}@demo.test` }),
    await known({ email: `${crypto.randomUUID()}@demo.test` }),
  ]
  const event = (userUuid: string, type: string, flags: string) =>
    pool().query(
      `INSERT INTO event (subject_id, id, type, fingerprint, entity_uuid, position, deliveries, first_received_at, last_received_at, flags)
       VALUES ('entity:' || $2::text, $1, $3, '', $2, 0, 1, now(), now(), $4)`,
      [uuidv7(), userUuid, type, flags],
    )
  await event(doubted, 'KYC', '{decisive,repeat-unsure}')
  await event(sure, 'KYC', '{repeat-unsure}')
  await event(sure, 'walletCreated', '{decisive,late}')
  const { rows } = await listPeople(support)
  const doubtOf = (id: string) => rows.find(({ userUuid }) => userUuid === id)?.doubt
  expect([doubtOf(doubted), doubtOf(sure)]).toEqual(['repeat-unsure', null])
})

it('shows in the directory the verification by events when it was never read', async () => {
  const [failed, silent, read] = [
    await known({ email: `${crypto.randomUUID()}@demo.test` }),
    await known({ email: `${crypto.randomUUID()}@demo.test` }),
    await known({ email: `${crypto.randomUUID()}@demo.test` }),
  ]
  for (const userUuid of [failed, read])
    await pool().query(
      `INSERT INTO standing (subject_id, type, state, event_id, entity_uuid, started_at, last_move_at)
       VALUES ('entity:' || $2::text, 'KYC', 'FAILED', $1, $2, now(), now()),
         ('entity:' || $2::text, 'AML', 'FAILED', $1, $2, now(), now() - interval '1 day')`,
      [uuidv7(), userUuid],
    )
  await saveStatus(read, 'FULL_USER')
  const shownTo = async (caller: typeof support) => {
    const { rows } = await listPeople(caller)
    return [failed, silent, read].map((id) => {
      const person = rows.find(({ userUuid }) => userUuid === id) ?? null
      return personStatuses(person, person?.standings ?? []).map(({ type, state }) => `${type} ${state}`)
    })
  }
  // A failed check comes before a successful verification, for roles that may know of it.
  expect(await shownTo(admin)).toEqual([['AML FAILED', 'KYC FAILED'], [], ['AML FAILED', 'KYC FULL_USER']])
  expect((await getPerson(admin, read, browser))?.standings).toMatchObject([{ type: 'KYC' }, { type: 'AML' }])
  expect((await shownTo(support))[2]?.at(-1)).toBe('KYC FULL_USER')
  // A later event counts, whatever else the directory learns of the person; and so does what the service says after it.
  await pool().query(
    `UPDATE standing SET last_move_at = clock_timestamp() WHERE subject_id = $1 AND type = 'KYC'`,
    [`entity:${read}`],
  )
  await setCustomerNumber(admin, { userUuid: read, customerNumber: `K-${read}` }, browser)
  await saveStatus(read, null)
  expect((await shownTo(admin))[2]).toEqual(['AML FAILED', 'KYC FAILED'])
  await saveStatus(read, 'KYC_PENDING')
  expect((await shownTo(admin))[2]).toEqual(['AML FAILED', 'KYC KYC_PENDING'])
})

it('names a bounce beside a person until a later code was used, whenever it was told', async () => {
  const userUuid = await known({ email: `${crypto.randomUUID()}@demo.test` })
  await pool().query(
    `INSERT INTO standing (subject_id, type, state, event_id, entity_uuid, started_at, last_move_at)
     VALUES ('entity:' || $2::text, 'otpNotification', 'EMAIL_DELIVERY_FAILED', $1, $2, now(), now())`,
    [uuidv7(), userUuid],
  )
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
  const shown = async () => {
    const person = (await listPeople(support)).rows.find((row) => row.userUuid === userUuid)
    const { signIn } = (await getPerson(support, userUuid, browser)) ?? {}
    return [person?.standings?.map(({ type }) => type), signIn?.bounce?.lasts]
  }
  const over = [[], false]
  const lasting = [['otpNotification'], true]
  await recordBounce(userUuid, ago(15), new Date(ago(15)))
  expect(await shown()).toEqual(over)
  await recordBounce(userUuid, ago(1))
  expect(await shown()).toEqual(lasting)
  await signIn(userUuid)
  expect(await shown()).toEqual(over)
  // An older bounce is told after the code was used, and a newer one.
  await recordBounce(userUuid, ago(2))
  expect(await shown()).toEqual(over)
  await recordBounce(userUuid, 'today')
  expect(await shown()).toEqual(lasting)
})

it('connects a company and its people', async () => {
  const { userUuid } = await addPerson(admin, aPerson(), browser)
  await service.control('/scenarios', { name: 'kyb', user_uuid: userUuid, speed: 0 })
  const person = await getPerson(support, userUuid, browser)
  expect(person?.companies).toHaveLength(1)
  const company = await getPerson(support, person?.companies[0] ?? '', browser)
  expect(company).toMatchObject({ person: null, profile: { kind: 'unknown' }, people: [{ userUuid }] })
  expect([person?.isCompany, company?.isCompany]).toEqual([false, true])
  for (const read of [person, company])
    expect((await listAudit(admin, { about: read?.userUuid, action: 'read.person' })).rows).toMatchObject([
      { isCompany: read?.isCompany },
    ])
})

it('shows a date of birth to support only on request, with a reason that the audit keeps', async () => {
  const { serviceBaseUrl, serviceApiKey } = env()
  const user = { ...aPerson(), first_name: 'Ana', last_name: 'Lima', date_of_birth: '1990-02-03' }
  const made = await fetch(`${serviceBaseUrl.href}/user`, {
    method: 'POST',
    headers: { authorization: serviceApiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ ...user, firstName: undefined, lastName: undefined }),
  })
  const { user_uuid: person } = z.object({ user_uuid: z.string() }).parse(await made.json())
  const reason = 'The customer asks'
  await inTransaction(pool(), (tx) =>
    saveToDirectory(tx, { ...nobody, userUuid: person, email: user.email }, 'sign-in'),
  )
  const profileFor = async (role: Role) => (await getPerson(callerWith(role), person, browser))?.profile
  expect(await profileFor('support')).toMatchObject({ dateOfBirth: '•••' })
  expect(await profileFor('auditor')).toMatchObject({ dateOfBirth: '•••' })
  expect(await profileFor('compliance')).toMatchObject({ dateOfBirth: '1990-02-03' })
  expect(await revealBirthDate(support, { person, reason }, browser)).toEqual({ value: '1990-02-03' })
  expect((await audited(person)).at(-1)).toMatchObject({ action: 'read.field', outcome: 'done' })
  for (const role of ['auditor', 'end-user'] as const)
    await expect(revealBirthDate(callerWith(role), { person, reason }, browser)).rejects.toThrow(NotAllowed)
})

const nobody = {
  email: null,
  firstName: null,
  lastName: null,
  targetAddress: null,
  country: null,
  status: null,
}
