import type { APIRequestContext, Browser } from '@playwright/test'
import { hintsAtCheck } from '#lib/access/rules/hints-at-check.ts'
import { may, type Role } from '#lib/access/rules/roles.ts'
import { type Information, informationSorts, visibilityOf } from '#lib/access/rules/visibility.ts'
import { pagePermissions } from '../lib/access/rules/pages.ts'
import { rampartUrl } from './addresses.ts'
import { callAction } from './call-action.ts'
import { captureAll } from './capture-all.ts'
import { inDatabase } from './database.ts'
import { signInByRequests, stateOf } from './people.ts'
import {
  createUserAtService,
  listScenarios,
  madeUpAddress,
  playScenarioOf,
  sendEvent,
  sendInItsPlace,
  userUuidOf,
} from './sandbox.ts'
import { expect, test } from './test.ts'

// Everything that the service can send is played for ana and for ben. The test then reads all that the dashboard sends to
// each of them, by a browser with its live stream and by every address that a role may open.

test.describe.configure({ mode: 'serial', timeout: 240_000 })

/** The service reports these values, and the test looks for them in each role's answers. No two values are alike. */
const reported = {
  ana: {
    ...wordsOf('ANA'),
    duplicateOf: '7ba5c0de-0000-4000-8000-00000000d0b1',
    bankAccountId: '7ba5c0de-0000-4000-8000-00000000ba01',
    transactionHash: `0x${'a7'.repeat(32)}`,
    wallet: '0xA11CE0000000000000000000000000000000CA9A',
    iban: 'DE89370400440532013000',
    ownIban: 'GB29NWBK60161331926819',
    ownAccountNumber: '77310485',
    birthDate: '1984-02-29',
  },
  ben: {
    ...wordsOf('BEN'),
    duplicateOf: '7ba5c0de-0000-4000-8000-00000000d0b2',
    bankAccountId: '7ba5c0de-0000-4000-8000-00000000ba02',
    transactionHash: `0x${'b7'.repeat(32)}`,
    wallet: '0xB0B000000000000000000000000000000000CA9A',
    iban: 'AT611904300234573201',
    ownIban: 'NL91ABNA0417164300',
    ownAccountNumber: '66420596',
    birthDate: '1991-03-31',
  },
} as const

function wordsOf(who: 'ANA' | 'BEN') {
  return {
    amlFinding: `AML-FINDING-${who}`,
    amlScore: `AML-SCORE-${who}`,
    mismatchName: `Zoraida Mismatch-${who}`,
    senderName: `Carla Quinn-${who}`,
    rawField: `RAW-FIELD-${who}`,
    holdReason: `ON_HOLD_AML_${who}`,
    unknownSubType: `UNHEARD-SUBTYPE-${who}`,
    note: `NOTE-${who}`,
    snoozedCheck: `MUTED-CHECK-${who}`,
  }
}

/** No contract names this type. */
const unknownType = 'unheardOf7QX'
const { iban, ownAccountNumber: accountNumber } = reported.ana
const people: Record<string, string> = {}
const played: Record<'ana' | 'ben', string[]> = { ana: [], ben: [] }
const checked = { ana: crypto.randomUUID(), ben: crypto.randomUUID() }
const canaries: Partial<Record<'ana' | 'ben', Canaries>> = {}
const roles = ['support', 'compliance', 'auditor', 'admin'] as const
type StaffRole = (typeof roles)[number]

test('every scenario is played for ana and for ben, and ana’s browser is sent what is hers alone', async ({
  browser,
}) => {
  people.ana = await userUuidOf('ana@demo.test')
  people.ben = await userUuidOf('ben@demo.test')
  await completeAccounts()
  await importBen()
  const context = await browser.newContext({ storageState: stateOf('ana@demo.test') })
  const page = await context.newPage()
  const received = await captureAll(page)
  await page.goto('/account')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('My account')
  await playEverything()
  const admin = await signedIn(browser, 'admin')
  for (const who of ['ana', 'ben'] as const) {
    await writeOf(admin, who)
    canaries[who] = await readCanaries(who)
  }
  await page.goto('/account')
  await expect(page.getByText('Load older')).toHaveCount(0)
  await page.goto(`/account/transactions/${played.ana[0]}`)
  await page.goto(`/account/transactions/${checked.ana}`)
  await expect(page.getByText('Paused').first()).toBeVisible()
  // The page itself asks for her other transactions, and for what is not hers, so that the browser receives the answers.
  await page.goto('/account')
  await page.evaluate(
    async ({ paths }) => {
      for (const path of paths) await fetch(path).then((answer) => answer.text())
      const body = JSON.stringify({ text: 'ben@demo.test' })
      await fetch('/api/search', { method: 'POST', body }).then((answer) => answer.text())
    },
    {
      paths: [
        '/api/events?limit=200',
        '/api/transactions',
        '/transactions',
        '/timeline',
        `/timeline/entity%3A${people.ana}`,
        `/users/${people.ana}`,
        '/accounts',
        '/companies',
        '/overview',
        '/endpoints',
        ...played.ana.map((uuid) => `/account/transactions/${uuid}`),
        ...[...played.ben, checked.ben].flatMap((uuid) => [
          `/account/transactions/${uuid}`,
          `/transactions/${uuid}`,
        ]),
      ],
    },
  )
  await page.waitForTimeout(500)
  // The live stream reports a verification. It reports nothing about a check, not even that something came.
  const heard = () => received.streamed().split('entity:').length
  const atFirst = heard()
  await deliver([{ type: 'KYC', subType: 'X', uuid: people.ana, data: { status: 'FULL_USER' } }])
  await expect.poll(heard).toBeGreaterThan(atFirst)
  const before = heard()
  await deliver([{ type: 'AML', subType: 'X', uuid: people.ana, data: { status: reported.ana.amlFinding } }])
  await page.waitForTimeout(500)
  expect(heard()).toBe(before)
  const text = await received.text()
  const scripts = await received.scripts()
  expect(await received.unread()).toEqual([])
  await context.close()
  // The page and the live stream sent ana her own data, with the number to pay into.
  expect(text).toContain('GB29NWBK60161331926819')
  expect(text).toContain(checked.ana)
  expect(received.streamed()).toContain(`transaction:${played.ana[0]}`)
  expect.soft(hintsAtCheck(text)).toBeNull()
  const all = leaveOutRepeats([{ from: 'what is hers', text: `${text}\n${scripts}` }])[0]?.text ?? ''
  expect.soft(wordsIn(all, await notForAna(), [checked.ben, ...played.ben])).toEqual([])
  expect.soft(listMissing('end-user', canaries.ana, all)).toEqual([])
  expect.soft(listShown('end-user', canaries.ana, { from: 'what is hers', text: all })).toEqual([])
  const ofBen = Object.values(canaries.ben ?? {}).flatMap((found) => found.map(({ value }) => value))
  const searched = all.toLowerCase()
  expect(ofBen.filter((value) => occurs(searched, value))).toEqual([])
})

for (const role of roles)
  test(`${role} is sent what the table allows`, async ({ browser }) => {
    const request = await signedIn(browser, role)
    const received: Received[] = []
    const read = async (path: string) => {
      const answer = await request.get(path, { maxRedirects: 0 })
      received.push({ from: path, text: await answer.text() })
      return answer.status()
    }
    // The live stream gets events while a scenario plays, and the findings of a check.
    const stream = await openStream(request)
    const [scenario = ''] = await listScenarios()
    await playScenarioOf(scenario, people.ana ?? '')
    await deliver(checksOf('ana'))
    await expect.poll(stream.text).toContain(`transaction:${checked.ana}`)
    stream.leave()
    received.push({ from: '/api/live', text: stream.text() })

    const places = await placesFor(role)
    const statuses: [path: string, status: number][] = []
    // Few addresses are read at a time, as by a busy browser.
    while (places.length > 0)
      await Promise.all(places.splice(0, 6).map(async (path) => statuses.push([path, await read(path)])))
    expect(statuses.filter(([, status]) => status !== 200)).toEqual([])
    const searched = [
      iban,
      iban.slice(0, 8),
      '3000',
      accountNumber,
      'ana@demo.test',
      'Ana Demo',
      '€12',
      checked.ana,
    ]
    for (const text of searched) {
      const answer = await request.post('/api/search', { data: { text }, headers: { origin: rampartUrl } })
      expect(answer.status()).toBe(200)
      // The answer repeats the searched text to the person who typed it.
      const found = { ...(await answer.json()), text: '', explanation: '' }
      received.push({ from: `/api/search for ${text}`, text: JSON.stringify(found) })
    }
    received.push(...(await exportsFor(role, request)))
    const different = leaveOutRepeats(received)
    const all = different.map(({ text }) => text).join('\n')
    expect.soft(listMissing(role, canaries.ana, all)).toEqual([])
    // The checks cover both people separately, because the test does not ask for all of ben's data.
    for (const whose of [canaries.ana, canaries.ben])
      expect.soft(different.flatMap((one) => listShown(role, whose, one))).toEqual([])
    expect(all).toContain('"AML"')
    expect(all.includes(unknownType), 'the name of an unknown type').toBe(
      visibilityOf(role, 'unknown') !== 'hidden',
    )
    const receivers = (await inDatabase('SELECT id FROM receiver')) as { id: string }[]
    const sees = receivers.some(({ id }) => all.includes(id))
    expect(sees, 'the secret part of an address').toBe(visibilityOf(role, 'receiver') !== 'hidden')
    // A reveal shows only its own field or body, and only to a role that may reveal it.
    const revealed = await revealsFor(request)
    expect(wordsIn(revealed, [iban, reported.ana.amlScore])).toEqual([
      ...(visibilityOf(role, 'account-number') === 'reveal' ? [iban] : []),
      ...(visibilityOf(role, 'suspicion-body') === 'hidden' ? [] : [reported.ana.amlScore]),
    ])
  })

/** A canary is a person's value of one sort of information. */
interface Canary {
  readonly value: string
  /** The masked text replaces the value, as far as it tells one value from others. */
  readonly masked?: string
}

type Canaries = Readonly<Record<Information, readonly Canary[]>>

/** The canaries hold what this run delivered or stored of this person, for each sort, read from the store. */
async function readCanaries(who: 'ana' | 'ben'): Promise<Canaries> {
  const uuid = people[who] ?? ''
  const payment = await bodyOf(who, 'fiatToCrypto', reported[who].holdReason)
  const aml = await bodyOf(who, 'AML', reported[who].amlFinding)
  const mismatch = await bodyOf(who, 'senderNameMismatch', reported[who].mismatchName)
  const duplicate = await bodyOf(who, 'duplicateUser', reported[who].duplicateOf)
  const [account, numbered] = [
    await bodyOf(who, 'unblockBankAccount', reported[who].ownIban),
    await bodyOf(who, 'unblockBankAccount', reported[who].ownAccountNumber),
  ]
  const unknown = await bodyOf(who, unknownType, reported[who].unknownSubType)
  const [user] = await textsIn(
    'SELECT target_address AS wallet, date_of_birth::text AS birth_date FROM account WHERE uuid::text = $1',
    [uuid],
    'sandbox',
  )
  const [person] = await textsIn(
    `SELECT email, concat_ws(' ', first_name, last_name) AS name FROM person WHERE user_uuid::text = $1`,
    [uuid],
  )
  const [note] = await textsIn('SELECT text FROM transaction_note WHERE subject_id = $1', [
    `transaction:${checked[who]}`,
  ])
  const [snooze] = await textsIn('SELECT text AS reason FROM audit_reason WHERE text = $1', [
    reported[who].snoozedCheck,
  ])
  const [watched] = await textsIn(
    `SELECT endpoint_uuid::text AS endpoint, id::text AS receiver FROM receiver
     WHERE endpoint_uuid IN (SELECT endpoint_uuid FROM watched_endpoint)
     ORDER BY (SELECT max(id::text) FROM delivery WHERE receiver_id = receiver.id) DESC NULLS LAST LIMIT 1`,
  )
  return {
    fact: [canary(payment('data.transactionHash'))],
    state: [canary(payment('data.status'))],
    staff: [canary(payment('data.internalBankAccountId'))],
    'free-text': [canary(note?.text)],
    person: [canary(person?.email, `${who[0]}•••@demo.test`), canary(person?.name)],
    wallet: [canary(user?.wallet, '•••CA9A')],
    counterparty: [canary(payment('data.senderDetails.senderName'), 'C••• Q•••')],
    'own-account-number': [
      canary(account('data.iban'), who === 'ana' ? 'GB•••6819' : 'NL•••4300'),
      canary(numbered('data.account_number'), who === 'ana' ? '•••0485' : '•••0596'),
    ],
    'account-number': [
      canary(payment('data.senderDetails.accountDetails.iban'), who === 'ana' ? 'DE•••3000' : 'AT•••3201'),
    ],
    'birth-date': [canary(user?.birth_date)],
    suspicion: [
      canary(aml('data.status')),
      canary(duplicate('data.duplicateOf')),
      canary(mismatch('data.senderName')),
      // A role that may not see findings may not read either why one was snoozed.
      canary(snooze?.reason),
    ],
    'suspicion-body': [canary(aml('data.score'))],
    body: [canary(payment('data.riskNote'))],
    unknown: [canary(unknown('subType'))],
    endpoint: [canary(watched?.endpoint)],
    receiver: [canary(watched?.receiver)],
  }
}

/**
 * The function finds the stored body of this type about this person that contains a text. It answers a reader of its fields
 * by path.
 */
async function bodyOf(who: 'ana' | 'ben', type: string, holding: string) {
  const [found] = await textsIn(
    `SELECT convert_from(event_body(id, envelope), 'UTF8') AS body FROM event
     WHERE entity_uuid = $1 AND type = $2 AND position($3 IN convert_from(event_body(id, envelope), 'UTF8')) > 0
     ORDER BY id DESC LIMIT 1`,
    [people[who], type, holding],
  )
  const body: unknown = JSON.parse(found?.body ?? '{}')
  return (path: string): unknown =>
    path
      .split('.')
      .reduce<unknown>((value, key) => (value instanceof Object ? Reflect.get(value, key) : undefined), body)
}

const textsIn = async (sql: string, values: readonly unknown[] = [], database?: 'sandbox') =>
  (await inDatabase(sql, values, database)) as Record<string, string | null>[]

/** The function throws when the run has no value of this sort. */
function canary(value: unknown, masked?: string): Canary {
  if (typeof value !== 'string' || value === '')
    throw new Error('Nothing of this sort was delivered or stored')
  return { value, ...(masked === undefined ? {} : { masked }) }
}

/** The table allows these sorts, but no page shows them. */
const nowhereFor: Partial<Record<Role, readonly Information[]>> = { 'end-user': ['birth-date'] }

interface Received {
  readonly from: string
  readonly text: string
}

const isAudit = (from: string) => /^(\/api)?\/audit/.test(from)

/**
 * The text between two tags is searched once, because pages repeat each other and no searched value has a tag inside.
 * Only the audit may show some values, so it comes last.
 */
function leaveOutRepeats(received: readonly Received[]): Received[] {
  const seen = new Set<string>()
  const isNew = (part: string) => !seen.has(part) && seen.add(part)
  return received
    .toSorted((a, b) => Number(isAudit(a.from)) - Number(isAudit(b.from)))
    .map(({ from, text }) => ({ from, text: text.split('<').filter(isNew).join('<') }))
}

/**
 * The list holds sorts that the table shows to a role but that no answer contained, whole or masked, and sorts without a
 * canary.
 */
function listMissing(role: Role, of: Canaries | undefined, text: string): string[] {
  const searched = text.toLowerCase()
  return informationSorts.flatMap((sort) => {
    const found = of?.[sort] ?? []
    if (found.length === 0) return [`${sort}: no canary`]
    const visibility = visibilityOf(role, sort)
    if (nowhereFor[role]?.includes(sort) || visibility === 'known' || visibility === 'hidden') return []
    return found.flatMap(({ value, masked }) => {
      const shown = visibility === 'plain' ? value : masked
      return shown === undefined || occurs(searched, shown) ? [] : [`${sort}: ${shown} is not shown`]
    })
  })
}

/**
 * The list holds what a role received although the table hides or masks it. No state's canary is a word that customers read.
 */
function listShown(role: Role, of: Canaries | undefined, { from, text }: Received): string[] {
  const searched = text.toLowerCase()
  return informationSorts.flatMap((sort) => {
    // A reader of the audit sees which endpoint was changed.
    if (visibilityOf(role, sort) === 'plain' || (sort === 'endpoint' && isAudit(from))) return []
    return (of?.[sort] ?? []).flatMap(({ value }) =>
      occurs(searched, value) ? [`${sort}: ${value} is shown by ${from}`] : [],
    )
  })
}

/** The text contains a value, or an account number in groups of four. Both are in small letters. */
function occurs(searched: string, value: string): boolean {
  return [value, value.replace(/.{4}(?=.)/g, '$& ')].some((form) => searched.includes(form.toLowerCase()))
}

/**
 * The list holds every page and JSON route that a role may read, with ids of what was played: one of each kind for ana. The
 * same of ben would show nothing else, apart from what the lists and his own pages say of him.
 */
async function placesFor(role: StaffRole): Promise<string[]> {
  const ids = async (sql: string) => ((await inDatabase(sql)) as { id: string }[]).map(({ id }) => id)
  const played = `FROM event WHERE first_received_at > now() - interval '10 minutes'
    AND entity_uuid IS DISTINCT FROM '${people.ben}'`
  const subjects = await ids(
    `SELECT DISTINCT min(subject_id) AS id ${played} GROUP BY type, sub_type, entity_uuid, left(subject_id, 6)`,
  )
  const idsOf = (kind: string) =>
    subjects.filter((id) => id.startsWith(`${kind}:`)).map((id) => id.slice(kind.length + 1))
  const whoever = idsOf('entity').filter((id) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id))
  const companies = new Set(
    await ids(`SELECT DISTINCT entity_uuid AS id FROM event WHERE type IN ('KYB', 'entityStatusUpdate')`),
  )
  const named: Record<string, readonly string[]> = {
    '/transactions/*': [checked.ana, checked.ben, ...idsOf('transaction')],
    '/accounts/*': idsOf('bank-account'),
    '/timeline/*': idsOf('unknown').map((id) => encodeURIComponent(`unknown:${id}`)),
    '/users/*': [
      ...new Set([people.ana ?? '', people.ben ?? '', ...whoever.filter((id) => !companies.has(id))]),
    ],
    '/companies/*': whoever.filter((id) => companies.has(id)),
    '/users/import/*': await ids('SELECT id FROM user_import LIMIT 2'),
    '/team/*': await ids('SELECT id FROM member LIMIT 2'),
    '/gaps/*': await ids('SELECT id FROM gap LIMIT 2'),
    '/endpoints/*': await ids(
      // These endpoints brought what was just played, and the pages list them. A deleted endpoint has no page.
      `SELECT endpoint_uuid AS id FROM receiver
       WHERE endpoint_uuid IN (SELECT endpoint_uuid FROM watched_endpoint) AND state <> 'closed'
       ORDER BY (SELECT max(id::text) FROM delivery WHERE receiver_id = receiver.id) DESC NULLS LAST LIMIT 3`,
    ),
    '/replays/*': await ids('SELECT id FROM replay LIMIT 2'),
  }
  const pages = pagePermissions.flatMap(([path, permission]) => {
    if (!may(role, permission)) return []
    if (!path.includes('*')) return [path]
    const of = named[path] ?? []
    if (of.length === 0) throw new Error(`What stands for * in ${path}?`)
    return of.map((id) => path.replace('*', id))
  })
  const newest = `SELECT DISTINCT ON (type, sub_type, status) id ${played} ORDER BY type, sub_type, status, id DESC`
  const events = (await ids(newest)).map((id) => `/api/events?id=${id}`)
  const lists = [
    '/overview?look=muted',
    '/api/events?limit=200',
    '/api/events?type=AML',
    '/api/transactions?limit=200',
    '/api/standings?list=accounts',
    '/api/standings?list=companies',
    '/api/standings?list=people',
    '/api/users',
  ]
  return [...pages, ...events, ...lists]
}

/** A role may download these files. Only an admin may ask for all data of a person. */
async function exportsFor(role: StaffRole, request: APIRequestContext): Promise<Received[]> {
  const reason = 'A look at what leaves'
  const files: Received[] = []
  const take = async (path: string, allowed: string) => {
    const ticket = /"ticket":"([^"]+)"/.exec(allowed)?.[1]
    expect(ticket, `${path}: ${allowed.slice(-300)}`).toBeTruthy()
    const answer = await request.get(`${path}${path.includes('?') ? '&' : '?'}ticket=${ticket}`)
    expect(answer.status(), path).toBe(200)
    files.push({ from: path, text: await answer.text() })
  }
  if (may(role, 'read-audit'))
    for (const format of ['csv', 'ndjson'])
      await take(
        `/api/audit/export?format=${format}`,
        await callAction(request, 'allowAuditExportAction', { format, reason }),
      )
  if (may(role, 'see-alerts'))
    for (const format of ['csv', 'ndjson'])
      await take(
        `/api/alerts/export?format=${format}`,
        await callAction(request, 'allowAlertsExportAction', { format, reason }),
      )
  const [gap] = (await inDatabase('SELECT id FROM gap LIMIT 1')) as { id: string }[]
  if (gap && may(role, 'work-on-cases') && may(role, 'see-endpoint-health'))
    await take(
      `/api/gaps/${gap.id}`,
      await callAction(request, 'allowGapExportAction', { gapId: gap.id, reason }),
    )
  const [replay] = (await inDatabase('SELECT id FROM replay LIMIT 1')) as { id: string }[]
  if (replay && may(role, 'replay-deliveries'))
    await take(
      `/api/replays/${replay.id}/results`,
      await callAction(request, 'allowResultsExportAction', { replayId: replay.id, reason }),
    )
  const [users] = (await inDatabase('SELECT id FROM user_import LIMIT 1')) as { id: string }[]
  if (users && may(role, 'manage-people'))
    await take(
      `/api/users/import/${users.id}`,
      await callAction(request, 'allowImportExportAction', { importId: users.id, reason }),
    )
  if (may(role, 'work-on-cases')) {
    for (const list of ['accounts', 'companies'])
      await take(
        `/api/standings/export?list=${list}&format=csv`,
        await callAction(request, 'allowStandingsExportAction', { list, format: 'csv', reason }),
      )
    for (const format of ['csv', 'ndjson'])
      await take(
        `/api/transactions/export?format=${format}`,
        await callAction(request, 'allowTransactionsExportAction', { format, reason }),
      )
    const data = { text: `ana@demo.test\n${checked.ana}` }
    const answer = await request.post('/api/search', { data, headers: { origin: rampartUrl } })
    const { link } = (await answer.json()) as { link: string }
    await take(`/api/search/${link}`, await callAction(request, 'allowLinesExportAction', { link, reason }))
  }
  return files
}

/** Colleagues write notes at a transaction and reasons at a check. */
async function writeOf(admin: APIRequestContext, who: 'ana' | 'ben') {
  const written = [
    await callAction(admin, 'addNoteAction', {
      subject: `transaction:${checked[who]}`,
      text: reported[who].note,
      ticket: '',
    }),
    await callAction(admin, 'snoozeAction', {
      kind: 'aml',
      about: crypto.randomUUID(),
      since: new Date().toISOString(),
      reason: reported[who].snoozedCheck,
    }),
  ]
  for (const answer of written) expect(answer).toContain('"done"')
}

/** The result is what reveals of an account number and of a finding's body answer. */
async function revealsFor(request: APIRequestContext): Promise<string> {
  const [found] = (await inDatabase(
    `SELECT id FROM event WHERE type = 'AML' AND entity_uuid = $1 ORDER BY id DESC LIMIT 1`,
    [people.ana],
  )) as { id: string }[]
  const reason = 'A look at what is shown'
  return [
    await callAction(request, 'revealFieldAction', {
      record: 'transaction',
      uuid: checked.ana,
      field: 'parties.sender.iban',
      reason,
    }),
    await callAction(request, 'revealBodyAction', { event: found?.id, reason }),
  ].join('\n')
}

/** The live stream belongs to the person of these requests. */
async function openStream(request: APIRequestContext) {
  const { cookies } = await request.storageState()
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  const leave = new AbortController()
  const answer = await fetch(`${rampartUrl}/api/live`, { headers: { cookie }, signal: leave.signal })
  expect(answer.status).toBe(200)
  let text = ''
  const read = async () => {
    for await (const chunk of answer.body ?? []) text += Buffer.from(chunk).toString()
  }
  read().catch((error: unknown) => {
    if (!leave.signal.aborted) text += String(error)
  })
  return { text: () => text, leave: () => leave.abort() }
}

/** The service knows more of both people than their sign-up. */
async function completeAccounts() {
  for (const who of ['ana', 'ben'] as const)
    await inDatabase(
      'UPDATE account SET date_of_birth = $2, target_address = $3 WHERE uuid::text = $1',
      [people[who], reported[who].birthDate, reported[who].wallet],
      'sandbox',
    )
}

/** The admin imports a line about ben that cannot be read. */
async function importBen() {
  const id = crypto.randomUUID()
  await inDatabase(
    `INSERT INTO user_import (id, file_name, actor, state, total, broken, created)
     VALUES ($1, 'people.csv', '', 'done', 1, 1, 0)`,
    [id],
  )
  await inDatabase(
    `INSERT INTO user_import_row (import_id, line, state, email, first_name, last_name, error)
     VALUES ($1, 2, 'broken', 'ben@demo.test', 'Ben', 'Demo', 'Country: is missing')`,
    [id],
  )
}

/** All scenarios are played for both people, and so is what only a check or a raw body contains. */
async function playEverything() {
  const before = await countDeliveries()
  const names = await listScenarios()
  expect(names.length).toBeGreaterThanOrEqual(42)
  let events = 0
  for (const who of ['ana', 'ben'] as const)
    for (const name of names) {
      const play = await playScenarioOf(name, people[who] ?? '')
      if (play.transactionUuid) played[who].push(play.transactionUuid)
      events += play.events
    }
  for (const who of ['ana', 'ben'] as const) {
    const sent = checksOf(who)
    for (const event of sent) await sendEvent(event)
    await sendUnheardOf(who)
    events += sent.length
  }
  await sendInItsPlace({ type: unknownType, subType: 'of nobody', data: {} })
  await untilFolded(before + events * 0.95)
}

/** The events hold what only a check or a raw body says, and two new accounts. Repeated, only the accounts are new. */
function checksOf(who: 'ana' | 'ben'): readonly object[] {
  const uuid = people[who] ?? ''
  const transactionUuid = checked[who]
  const words = reported[who]
  const payment = {
    transactionUuid,
    senderDetails: {
      senderName: words.senderName,
      accountDetails: { iban: words.iban, currency: 'EUR' },
    },
    amountFiat: 12,
    currencyFiat: 'EUR',
    internalBankAccountId: words.bankAccountId,
    walletAddress: words.wallet,
  }
  return [
    {
      type: 'senderNameMismatch',
      subType: 'X',
      uuid,
      data: { transactionUuid, senderName: words.mismatchName },
    },
    { type: 'fiatToCrypto', subType: 'PENDING', uuid, data: { status: 'PENDING', ...payment } },
    {
      type: 'fiatToCrypto',
      subType: 'ON_HOLD',
      uuid,
      data: {
        status: words.holdReason,
        ...payment,
        transactionHash: words.transactionHash,
        riskNote: words.rawField,
      },
    },
    {
      type: 'AML',
      subType: 'statusUpdate',
      uuid,
      data: { status: words.amlFinding, score: words.amlScore },
    },
    { type: 'duplicateUser', subType: 'DUPLICATE_USER', uuid, data: { duplicateOf: words.duplicateOf } },
    {
      type: 'unblockBankAccount',
      subType: 'statusUpdate',
      uuid,
      data: {
        uuid: crypto.randomUUID(),
        iban: words.ownIban,
        status: 'ACTIVE',
      },
    },
    // An account without IBAN has a number.
    {
      type: 'unblockBankAccount',
      subType: 'X',
      uuid,
      data: { uuid: crypto.randomUUID(), account_number: words.ownAccountNumber, status: 'ACTIVE' },
    },
  ]
}

const sendUnheardOf = (who: 'ana' | 'ben') =>
  sendInItsPlace({ type: unknownType, subType: reported[who].unknownSubType, uuid: people[who], data: {} })

/** The function sends events, and waits until they are folded. */
async function deliver(some: readonly object[]) {
  const before = await countDeliveries()
  for (const event of some) await sendEvent(event)
  await untilFolded(before + some.length)
}

const countDeliveries = () => count('delivery')

/** The count leaves out dead letters, which another test causes. */
const countWaiting = () => count('delivery_pending WHERE dead_lettered_at IS NULL')

async function count(rows: string): Promise<number> {
  const [row] = (await inDatabase(`SELECT count(*)::int AS count FROM ${rows}`)) as [{ count: number }]
  return row.count
}

/**
 * The wait ends when at least this many deliveries are stored, none waits, and no endpoint has brought another one for a
 * while.
 */
async function untilFolded(fewest: number) {
  const folded = async () => {
    const stored = await countDeliveries()
    if (stored < fewest || (await countWaiting()) > 0) return false
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    return (await countDeliveries()) === stored
  }
  await expect.poll(folded, { timeout: 120_000, intervals: [500] }).toBe(true)
}

/** The list holds what must not reach ana: words of checks, ben's data, and every id, name and number that is not hers. */
async function notForAna(): Promise<string[]> {
  const rows = (await inDatabase(
    `SELECT id::text AS text FROM receiver
     UNION SELECT endpoint_uuid::text FROM receiver WHERE endpoint_uuid IS NOT NULL
     UNION SELECT entity_uuid FROM event WHERE entity_uuid <> $1
     UNION SELECT uuid FROM transaction WHERE user_uuid <> $1
     UNION SELECT email FROM person WHERE user_uuid::text <> $1 AND email IS NOT NULL
     UNION SELECT name FROM (
         SELECT user_uuid, concat_ws(' ', first_name, last_name) AS name FROM person
         UNION SELECT user_uuid, name FROM member
       ) AS named
       WHERE user_uuid::text IS DISTINCT FROM $1 AND length(name) > 4 AND lower(name) NOT IN (
         SELECT lower(concat_ws(' ', first_name, last_name)) FROM person WHERE user_uuid::text = $1)
     UNION SELECT trim(both '=' FROM value) FROM identifier
       WHERE length(value) > 9 AND value NOT IN (
         SELECT value FROM identifier WHERE subject_id IN (SELECT subject_id FROM identifier WHERE value = $1)
           AND (value NOT LIKE '=%' OR starts_with(subject_id, 'bank-account:')))`,
    [people.ana],
  )) as { text: string }[]
  const words = [
    '"AML',
    'AML"',
    'duplicateUser',
    'senderNameMismatch',
    'entityStatusUpdate',
    'MISMATCH',
    'DUPLICATE',
  ]
  return [
    ...words,
    unknownType,
    ...Object.values(reported.ben),
    'Another Demo',
    ...rows.map(({ text }) => text),
  ]
}

/** The list holds words that the text contains. Words in the browser's own request address do not count. */
function wordsIn(text: string, words: readonly string[], askedFor: readonly string[] = []): string[] {
  const answered = text.toLowerCase()
  return words.filter((word) => !askedFor.includes(word) && answered.includes(word.toLowerCase()))
}

/** The requests belong to somebody with this role. */
async function signedIn(browser: Browser, role: StaffRole): Promise<APIRequestContext> {
  const email = `${role}@demo.test`
  if (role === 'support' || role === 'admin') {
    // The sign-in may be older than an export accepts.
    await inDatabase('UPDATE session SET signed_in_at = now() WHERE ended_at IS NULL AND role = $1', [role])
    return (await browser.newContext({ storageState: stateOf(email) })).request
  }
  await createUserAtService(email, madeUpAddress())
  const uuid = await userUuidOf(email)
  await inDatabase(
    `INSERT INTO person (user_uuid, email, email_key, source) VALUES ($1, $2, $2, 'test') ON CONFLICT DO NOTHING`,
    [uuid, email],
  )
  await inDatabase(
    `INSERT INTO member (id, user_uuid, name, role) VALUES (gen_random_uuid(), $1, $2, $3) ON CONFLICT DO NOTHING`,
    [uuid, `The ${role}`, role],
  )
  const { request } = await browser.newContext()
  await signInByRequests(request, email)
  return request
}
