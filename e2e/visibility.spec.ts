import type { APIRequestContext, Browser } from '@playwright/test'
import { rampartUrl } from './addresses.ts'
import { captureAll } from './capture-all.ts'
import { inDatabase } from './database.ts'
import { stateOf } from './people.ts'
import { createUserAtService, listScenarios, playScenarioOf, sendEvent, userUuidOf } from './sandbox.ts'
import { expect, signInByCode, test } from './test.ts'

// Everything that the service can send is played for ana and for ben. Then all that each of them is sent by this dashboard is
// read: by a browser with its live stream, and by every address that a role may open.

test.describe.configure({ mode: 'serial', timeout: 240_000 })

/** What only checks say, and what stands only in raw bodies: each is looked for in what a role is sent. */
const secrets = {
  amlFinding: 'AML-FINDING-7QX',
  amlScore: 'AML-SCORE-7QX',
  duplicateOf: '7ba5c0de-0000-4000-8000-00000000d0b1',
  mismatchName: 'Zoraida Mismatchwoman',
  rawField: 'RAW-FIELD-7QX',
  holdReason: 'ON_HOLD_AML_7QX',
} as const

const iban = 'DE89370400440532013000'
const accountNumber = '77310485'
/** Of the account that each pays into: one's own is no secret from oneself. */
const ownIbans = { ana: 'GB29NWBK60161331926819', ben: iban }
const people: Record<string, string> = {}
const played: Record<'ana' | 'ben', string[]> = { ana: [], ben: [] }
const checked = { ana: crypto.randomUUID(), ben: crypto.randomUUID() }
const roles = ['support', 'compliance', 'auditor', 'admin'] as const
type StaffRole = (typeof roles)[number]

test('every scenario is played for ana and for ben, and ana’s browser is sent what is hers alone', async ({
  browser,
}) => {
  people.ana = await userUuidOf('ana@demo.test')
  people.ben = await userUuidOf('ben@demo.test')
  const context = await browser.newContext({ storageState: stateOf('ana@demo.test') })
  const page = await context.newPage()
  const received = await captureAll(page)
  await page.goto('/account')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('My account')
  await playEverything()
  await page.goto('/account')
  await expect(page.getByText('Load older')).toHaveCount(0)
  for (const uuid of [...played.ana, checked.ana]) await page.goto(`/account/transactions/${uuid}`)
  await expect(page.getByText('Paused').first()).toBeVisible()
  // What is not hers is asked for as well, in the page itself, so that the answers are received by the browser.
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
        '/overview',
        '/endpoints',
        ...[...played.ben, checked.ben].flatMap((uuid) => [
          `/account/transactions/${uuid}`,
          `/transactions/${uuid}`,
        ]),
      ],
    },
  )
  await page.waitForTimeout(500)
  // A verification is told live, a check is not: not even that something came.
  const told = () => received.streamed().split('entity:').length
  const atFirst = told()
  await deliver([{ type: 'KYC', subType: 'X', uuid: people.ana, data: { status: 'FULL_USER' } }])
  await expect.poll(told).toBeGreaterThan(atFirst)
  const before = told()
  await deliver([{ type: 'AML', subType: 'X', uuid: people.ana, data: { status: secrets.amlFinding } }])
  await page.waitForTimeout(500)
  expect(told()).toBe(before)
  const text = await received.text()
  await context.close()
  // It did receive her own, by the page and by the live stream, with the number to pay into.
  expect(text).toContain('GB29 NWBK 6016 1331 9268 19')
  expect(text).toContain(checked.ana)
  expect(received.streamed()).toContain(`transaction:${played.ana[0]}`)
  expect(wordsIn(text, await notForAna(), [checked.ben, ...played.ben])).toEqual([])
})

for (const role of roles)
  test(`${role} is sent what the table allows`, async ({ browser }) => {
    const request = await signedIn(browser, role)
    const texts: string[] = []
    const read = async (path: string) => {
      const answer = await request.get(path, { maxRedirects: 0 })
      texts.push(await answer.text())
    }
    const events = (await inDatabase(
      `SELECT id, subject_id FROM event WHERE first_received_at > now() - interval '10 minutes'
       AND type IN ('AML', 'duplicateUser', 'senderNameMismatch', 'fiatToCrypto', 'cryptoToFiat', 'unblockBankAccount')
       ORDER BY id DESC LIMIT 150`,
    )) as { id: string; subject_id: string }[]
    for (const { id } of events) await read(`/api/events?id=${id}`)
    const subjects = [...new Set(events.map(({ subject_id }) => subject_id))].slice(0, 40)
    for (const subject of subjects)
      await read(
        subject.startsWith('transaction:')
          ? `/transactions/${subject.slice('transaction:'.length)}`
          : `/timeline/${encodeURIComponent(subject)}`,
      )
    for (const path of [
      `/transactions/${checked.ana}`,
      `/timeline/entity%3A${people.ana}`,
      '/api/events?limit=200',
      '/api/events?type=AML',
      '/api/transactions?limit=200',
      '/transactions',
      '/timeline',
      '/overview',
      '/gaps',
      '/endpoints',
      '/users',
      `/users/${people.ana}`,
    ])
      await read(path)
    for (const text of [iban, iban.slice(0, 8), '3000', accountNumber, 'ana@demo.test', checked.ana]) {
      const answer = await request.post('/api/search', { data: { text }, headers: { origin: rampartUrl } })
      expect(answer.status()).toBe(200)
      // The text itself comes back to whoever typed it.
      texts.push(JSON.stringify({ ...(await answer.json()), text: '', explanation: '' }))
    }
    const all = texts.join('\n')
    expect(wordsIn(all, expectations[role].never)).toEqual([])
    for (const one of expectations[role].sees) expect(all, one).toContain(one)
    const receivers = (await inDatabase('SELECT id FROM receiver')) as { id: string }[]
    const sees = receivers.some(({ id }) => all.includes(id))
    expect(sees, 'the secret part of an address').toBe(role === 'admin')
  })

/** What only a check has found, what stands in no field that we know, and the numbers of accounts. */
const findings = [secrets.amlFinding, secrets.duplicateOf, secrets.mismatchName]
const raw = [secrets.amlScore, secrets.rawField]
const numbers = [iban, accountNumber]

/** What each role is never sent by reading alone, and what it is sent: without the second the first proves nothing. */
const expectations: Record<StaffRole, { never: readonly string[]; sees: readonly string[] }> = {
  support: {
    // A name that does not match is also the sender's, whom support may know.
    never: [secrets.amlFinding, secrets.duplicateOf, ...raw, ...numbers],
    sees: ['"AML"', 'DE89•••3000', 'ana@demo.test', secrets.holdReason],
  },
  compliance: { never: [], sees: [...findings, ...raw, ...numbers] },
  auditor: {
    never: [...findings, ...raw, ...numbers, 'ana@demo.test', 'Ana Demo'],
    sees: ['"AML"', 'DE89•••3000', 'a•••@demo.test'],
  },
  admin: {
    never: [...raw, ...numbers],
    sees: [...findings, 'DE89•••3000', 'ana@demo.test'],
  },
}

/** All scenarios for both, and for both what only a check or a raw body says. */
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
    const uuid = people[who] ?? ''
    const transactionUuid = checked[who]
    const parties = {
      senderDetails: { senderName: secrets.mismatchName, accountDetails: { iban, currency: 'EUR' } },
      amountFiat: 12,
      currencyFiat: 'EUR',
    }
    const sent = [
      {
        type: 'senderNameMismatch',
        subType: 'X',
        uuid,
        data: { transactionUuid, senderName: secrets.mismatchName },
      },
      {
        type: 'fiatToCrypto',
        subType: 'PENDING',
        uuid,
        data: { transactionUuid, status: 'PENDING', ...parties },
      },
      {
        type: 'fiatToCrypto',
        subType: 'ON_HOLD',
        uuid,
        data: { transactionUuid, status: secrets.holdReason, ...parties, riskNote: secrets.rawField },
      },
      {
        type: 'AML',
        subType: 'statusUpdate',
        uuid,
        data: { status: secrets.amlFinding, score: secrets.amlScore },
      },
      { type: 'duplicateUser', subType: 'DUPLICATE_USER', uuid, data: { duplicateOf: secrets.duplicateOf } },
      {
        type: 'unblockBankAccount',
        subType: 'statusUpdate',
        uuid,
        data: {
          uuid: crypto.randomUUID(),
          iban: ownIbans[who],
          account_number: accountNumber,
          status: 'ACTIVE',
        },
      },
    ]
    for (const event of sent) await sendEvent(event)
    events += sent.length
  }
  await untilFolded(before + events * 0.95)
}

/** Sends events, and waits until something was made of them. */
async function deliver(some: readonly object[]) {
  const before = await countDeliveries()
  for (const event of some) await sendEvent(event)
  await untilFolded(before + some.length)
}

const countDeliveries = () => count('delivery')

/** Without dead letters, which another test makes. */
const countWaiting = () => count('delivery_pending WHERE dead_lettered_at IS NULL')

async function count(rows: string): Promise<number> {
  const [row] = (await inDatabase(`SELECT count(*)::int AS count FROM ${rows}`)) as [{ count: number }]
  return row.count
}

/** Until at least so many deliveries are stored, none waits, and no endpoint has brought another one for a while. */
async function untilFolded(fewest: number) {
  const folded = async () => {
    const stored = await countDeliveries()
    if (stored < fewest || (await countWaiting()) > 0) return false
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    return (await countDeliveries()) === stored
  }
  await expect.poll(folded, { timeout: 120_000, intervals: [500] }).toBe(true)
}

/** What must not reach ana: words of checks, ben, and every id, name and number of anybody or anything that is not hers. */
async function notForAna(): Promise<string[]> {
  const rows = (await inDatabase(
    `SELECT id::text AS text FROM receiver
     UNION SELECT endpoint_uuid::text FROM receiver WHERE endpoint_uuid IS NOT NULL
     UNION SELECT entity_uuid FROM event WHERE entity_uuid <> $1
     UNION SELECT uuid FROM transaction WHERE user_uuid <> $1
     UNION SELECT email FROM person WHERE user_uuid::text <> $1 AND email IS NOT NULL
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
  return [...words, ...Object.values(secrets), 'Another Demo', ...rows.map(({ text }) => text)]
}

/** Those that stand in the text; what the browser itself asked for by address stands there by its own doing. */
function wordsIn(text: string, words: readonly string[], askedFor: readonly string[] = []): string[] {
  const answered = text.toLowerCase()
  return words.filter((word) => !askedFor.includes(word) && answered.includes(word.toLowerCase()))
}

/** Requests of somebody with this role. */
async function signedIn(browser: Browser, role: StaffRole): Promise<APIRequestContext> {
  const email = `${role}@demo.test`
  if (role === 'support' || role === 'admin')
    return (await browser.newContext({ storageState: stateOf(email) })).request
  await createUserAtService(email, `0x${crypto.randomUUID().replaceAll('-', '')}deadbeef`)
  const uuid = await userUuidOf(email)
  await inDatabase(
    `INSERT INTO person (user_uuid, email, email_key, source) VALUES ($1, $2, $2, 'test') ON CONFLICT DO NOTHING`,
    [uuid, email],
  )
  await inDatabase(
    `INSERT INTO member (id, user_uuid, name, role) VALUES (gen_random_uuid(), $1, $2, $3) ON CONFLICT DO NOTHING`,
    [uuid, `The ${role}`, role],
  )
  const context = await browser.newContext()
  const page = await context.newPage()
  await signInByCode(page, email)
  await page.close()
  return context.request
}
