import { expect, type Page } from '@playwright/test'
import { sandboxUrl } from './addresses.ts'
import { inDatabase } from './database.ts'
import { customer, dialogStates } from './dialog-states.ts'
import { openOnceItSays } from './open-once.ts'
import type { PageState } from './page-state.ts'
import { playScenarioOf, sendEvent, sendInItsPlace, userUuidOf } from './sandbox.ts'
import { expectComplaint, tolerateComplaint } from './test.ts'

const support = 'support@demo.test'
const admin = 'admin@demo.test'

/**
 * `npm run prove -- screens` checks these states beside those of `npm test`, in an installation of its own, because they
 * would disturb other tests.
 */
export const statesOfProof: Record<string, PageState> = {
  ...opened(null, {
    'sign-in-english': ['/sign-in'],
    'sign-in-german': ['/sign-in', 'de-DE'],
    'sign-up-english': ['/sign-up'],
    'set-up-without-link': ['/set-up'],
  }),
  ...opened(support, {
    'transactions-held': ['/transactions?step=ON_HOLD'],
    'transactions-nothing': ['/transactions#ffffffff-0000'],
    'overview-day': ['/overview'],
    'alerts-nothing': ['/alerts?condition=audit-broken&state=resolved'],
    'accounts-failed-lately': ['/accounts?look=1'],
    'accounts-nothing': ['/accounts?state=NONE'],
  }),
  ...opened(admin, {
    'endpoints-switched-off': ['/endpoints?status=auto_disabled'],
    'users-to-look-at': ['/users?look=1'],
    'audit-nothing': ['/audit?who=nobody'],
  }),
  ...opened(customer, { 'account-sign-ins-english': ['/account/sign-ins'] }),
  'transactions-refused-place': {
    as: support,
    open: async (page) => {
      expectComplaint(page, 400, /^\/api\/transactions\?.*cursor=none/)
      await page.goto('/transactions?sort=amount&cursor=none')
      await expect(page.getByRole('alert').filter({ hasText: 'cannot be read' })).toBeVisible()
    },
  },
  'transaction-succeeded': { as: support, open: (page) => openFirst(page, '/transactions?step=SUCCESS') },
  'transaction-refunded': { as: support, open: (page) => openFirst(page, '/transactions?step=REFUNDED') },
  'transaction-held': { as: support, open: (page) => openFirst(page, '/transactions?step=ON_HOLD') },
  'transaction-failed': { as: support, open: (page) => openFirst(page, '/transactions?step=FAILED') },
  'transaction-conflict': {
    as: support,
    open: async (page) => {
      await page.goto(`/transactions/${await makeConflict('ben@demo.test')}`)
      await expect(page.getByText('Events contradict each other').first()).toBeVisible()
    },
  },
  'transactions-long': {
    as: support,
    open: async (page) => {
      await makeTransactions(10_000)
      await page.goto('/transactions')
      await page.getByRole('button', { name: 'Older' }).click()
      await page.waitForURL(/cursor=/)
    },
  },
  'transactions-failed-to-load': {
    as: support,
    open: async (page) => {
      expectComplaint(page, 500, /^\/api\/transactions\?/)
      await page.goto('/transactions')
      await page.route(/\/api\/transactions\?/, (route) => route.fulfill({ status: 500, body: '{}' }))
      // The test types as a person would, because the filters may move to another line afterwards.
      await page.getByLabel('Order').pressSequentially('Largest')
      await expect(page.getByText('This could not be loaded')).toBeVisible()
    },
  },
  gap: {
    as: admin,
    open: async (page) => {
      await makeGap()
      await page.goto('/gaps?kind=deferred')
      await page.locator('main a[href^="/gaps/"]:visible').first().click()
      await page.waitForURL(/\/gaps\/[0-9a-f-]{36}$/)
    },
  },
  'endpoint-auto-disabled': {
    as: admin,
    open: (page) => openFirst(page, '/endpoints?status=auto_disabled', 'endpoints'),
  },
  'account-new': {
    open: async (page) => {
      await page.goto('/sign-in')
      await page.getByRole('button', { name: 'Throw-away wallet' }).click()
      await page.waitForURL(/\/account$/)
    },
  },
  'account-succeeded': {
    as: customer,
    open: async (page) => page.goto(`/account/transactions/${await play('fiat-to-crypto', 'SUCCESS')}`),
  },
  'no-access-customer': {
    as: customer,
    open: (page) => {
      expectComplaint(page, 403, '/transactions')
      return page.goto('/transactions')
    },
  },
  'account-details': {
    as: support,
    open: async (page) => {
      const account = crypto.randomUUID()
      const data = { uuid: account, currency: 'EUR', status: 'FAILED_CREATION', error: 'The bank said no' }
      const uuid = await userUuidOf('ben@demo.test')
      await sendEvent({ type: 'unblockBankAccount', subType: 'statusUpdate', uuid, data })
      await openOnceItSays(page, `/accounts/${account}`, 'could not be created')
    },
  },
  'companies-failed-lately': {
    as: support,
    open: async (page) => {
      const uuid = crypto.randomUUID()
      await sendEvent({ type: 'KYB', subType: 'statusUpdate', uuid, data: { status: 'KYB_FAILED' } })
      await openOnceItSays(page, '/companies?look=1', `/companies/${uuid}`)
    },
  },
  ...ofCustomer('', undefined),
  ...ofCustomer('-german', 'de-DE'),
  'event-of-nobody': {
    as: support,
    open: async (page) => {
      const named = crypto.randomUUID()
      await sendInItsPlace({ type: 'somethingNew', subType: named, data: { message: 'Nobody is named' } })
      const idOf = 'SELECT subject_id AS id FROM event WHERE sub_type = $1'
      await expect.poll(async () => (await inDatabase(idOf, [named])).length).toBe(1)
      const [row] = await inDatabase(idOf, [named])
      await page.goto(`/timeline/${encodeURIComponent(String(Reflect.get(Object(row), 'id')))}`)
    },
  },
  'timeline-open': {
    as: support,
    open: async (page) => {
      await page.goto('/timeline')
      await page.locator('main [data-row]').first().click()
      await page.waitForURL(/event=/)
    },
  },
  'timeline-of-accounts': {
    as: support,
    open: async (page) => {
      await page.goto('/timeline?type=unblockBankAccount')
      await page.locator('main [data-row]').first().click()
      await page.waitForURL(/event=/)
    },
  },
  'timeline-of-a-person': {
    as: support,
    open: async (page) => page.goto(`/timeline?user=${await userUuidOf(customer)}`),
  },
  replay: { as: admin, open: (page) => openFirst(page, '/replays', 'replays') },
  'replay-interrupted': {
    as: admin,
    open: async (page) => {
      await inDatabase(
        `INSERT INTO replay (id, kind, address, filter, pace, reason, actor, total, done, failed, state)
         SELECT '00000000-0000-4000-8000-00000000beef', 'post', $1, filter, 50, 'their ledger lost a night of deliveries', actor,
           240, 100, 12, 'stopped' FROM replay LIMIT 1 ON CONFLICT DO NOTHING`,
        [`${sandboxUrl}/receiver/of/the/ledger/that/lost/a/night`],
      )
      await inDatabase(
        `INSERT INTO replay_delivery (replay_id, seq, delivery_id, at, status, ms, error)
         SELECT '00000000-0000-4000-8000-00000000beef', seq, id, now(), 503, 41, 'The receiver failed'
         FROM delivery ORDER BY seq LIMIT 12 ON CONFLICT DO NOTHING`,
      )
      await page.goto('/replays/00000000-0000-4000-8000-00000000beef')
    },
  },
  'import-checked': {
    as: admin,
    open: async (page) => {
      await page.goto('/users/import')
      const csv =
        'email,first_name,last_name,country\nnew@demo.test,New,Person,ES\nbroken,Ana,Lima,ES\nno-uuid,,,\n'
      await page
        .getByLabel('CSV file')
        .setInputFiles({ name: 'people of 2025.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) })
      await page.getByRole('button', { name: 'Check it' }).click()
      await page.waitForURL(/\/users\/import\/[0-9a-f-]{36}$/)
    },
  },
  ...unknownPages({
    [support]: ['transactions', 'users', 'accounts', 'timeline', 'gaps', 'endpoints', 'nothing-here'],
    [admin]: ['replays', 'team', 'users/import'],
    [customer]: ['account/transactions'],
  }),
  ...ofConsole([
    '',
    'events',
    'mailbox',
    'users',
    'endpoints',
    'receiver',
    'clock',
    'faults',
    'reset',
    'docs',
  ]),
  'console-played': {
    open: async (page) => {
      await page.goto(`${sandboxUrl}/?user=${await userUuidOf(customer)}`)
      await page.getByLabel('Pace').selectOption('0')
      await page.getByRole('button', { name: 'Play: Success (crypto-to-fiat)' }).click()
      await page.waitForURL(/played=/)
    },
  },
  'console-nothing-there': {
    open: async (page) => {
      expectComplaint(page, 404, '/nothing-there')
      await page.goto(`${sandboxUrl}/nothing-there`)
    },
  },
  ...dialogStates,
}

/** Going to these addresses opens the states, in English by default. */
function opened(
  as: string | null,
  states: Record<string, readonly [path: string, locale?: string]>,
): Record<string, PageState> {
  return Object.fromEntries(
    Object.entries(states).map(([name, [path, locale]]) => [
      name,
      { ...(as ? { as } : {}), ...(locale ? { locale } : {}), open: (page: Page) => page.goto(path) },
    ]),
  )
}

/** A customer reads these pages in their language for each end that is no success. */
function ofCustomer(suffix: string, locale: string | undefined): Record<string, PageState> {
  const state = (make: () => Promise<string>): PageState => ({
    as: customer,
    ...(locale ? { locale } : {}),
    async open(page) {
      const uuid = await make()
      await page.goto(`/account/transactions/${uuid}`)
    },
  })
  return {
    [`account-held${suffix}`]: state(() => play('fiat-to-crypto-on-hold', 'ON_HOLD')),
    [`account-failed${suffix}`]: state(() => play('crypto-to-fiat-failed', 'FAILED')),
    [`account-refunded${suffix}`]: state(() => play('fiat-to-crypto-refunded', 'REFUNDED')),
    [`account-limit${suffix}`]: state(() => play('crypto-to-fiat-limit-breached', 'LIMIT_BREACHED')),
    [`account-conflict${suffix}`]: state(() => makeConflict(customer)),
    [`account-list${suffix}`]: {
      ...state(async () => ''),
      // Nothing else plays for this customer, because a transaction that starts meanwhile would move the page.
      as: 'cleo@demo.test',
      open: (page) => page.goto('/account'),
    },
  }
}

/** The function plays a customer's scenario to its last step, and answers the transaction. */
async function play(scenario: string, step: string): Promise<string> {
  const { transactionUuid } = await playScenarioOf(scenario, await userUuidOf(customer))
  await expect(async () => {
    const rows = await inDatabase('SELECT FROM transaction WHERE uuid = $1 AND step = $2', [
      transactionUuid,
      step,
    ])
    expect(rows).toHaveLength(1)
  }).toPass()
  return transactionUuid ?? ''
}

/** The customer's transaction both succeeded and failed. The answer is its id. */
async function makeConflict(email: string): Promise<string> {
  const transactionUuid = crypto.randomUUID()
  const data = { transactionUuid, amountFiat: 4.76, currencyFiat: 'EUR' }
  for (const [subType, status] of [
    ['SUCCESS', 'PROCESS_COMPLETED'],
    ['FAILED', 'PROCESS_FAILED'],
  ])
    await sendEvent({
      type: 'fiatToCrypto',
      subType,
      uuid: await userUuidOf(email),
      data: { ...data, status },
    })
  await expect(async () => {
    const rows = await inDatabase(`SELECT FROM transaction WHERE uuid = $1 AND 'conflict' = ANY(flags)`, [
      transactionUuid,
    ])
    expect(rows).toHaveLength(1)
  }).toPass()
  return transactionUuid
}

/** The pages are about things that do not exist, by the person who opens them. */
function unknownPages(paths: Record<string, readonly string[]>): Record<string, PageState> {
  return Object.fromEntries(
    Object.entries(paths).flatMap(([as, those]) =>
      those.map((path): [string, PageState] => {
        const id = path === 'timeline' ? 'unknown%3A0' : '00000000-0000-4000-8000-000000000000'
        const address = path === 'nothing-here' ? '/nothing-here' : `/${path}/${id}`
        return [
          `unknown-${path.replaceAll('/', '-')}`,
          {
            as,
            open: (page) => {
              // The page of a slow service has begun its answer when the service reports that there is no such thing.
              const complain = path === 'endpoints' ? tolerateComplaint : expectComplaint
              complain(page, 404, address)
              return page.goto(address)
            },
          },
        ]
      }),
    ),
  )
}

function ofConsole(paths: readonly string[]): Record<string, PageState> {
  return Object.fromEntries(
    paths.map((path) => [
      `console-${path || 'scenarios'}`,
      { open: (page: Page) => page.goto(`${sandboxUrl}/${path}`) },
    ]),
  )
}

/** The function opens the first item of a list. */
async function openFirst(page: Page, list: string, kind = 'transactions') {
  await page.goto(list)
  await page.locator(`main a[href^="/${kind}/"]:not([href$="/new"]):visible`).first().click()
  await page.waitForURL(new RegExp(`/${kind}/[0-9a-f-]{36}`))
}

/** The transactions are older than the demo's, each a copy of the oldest one, until there are `count`. */
const makeTransactions = (count: number) =>
  inDatabase(
    `INSERT INTO transaction (subject_id, uuid, direction, step, reason, amount_fiat, currency_fiat, user_uuid, details, flags,
       started_at, last_move_at, finished_at, step_began_at)
     SELECT 'transaction:' || made.uuid, made.uuid, direction, step, reason, amount_fiat, currency_fiat, user_uuid, details,
       flags, started_at - n * interval '1 min', last_move_at - n * interval '1 min', finished_at - n * interval '1 min',
       step_began_at - n * interval '1 min'
     FROM (SELECT * FROM transaction WHERE step = 'SUCCESS' AND finished_at IS NOT NULL ORDER BY started_at LIMIT 1) AS oldest,
       LATERAL (SELECT n, gen_random_uuid()::text AS uuid FROM generate_series(1, $1) AS n) AS made
     WHERE (SELECT count(*) FROM transaction) < $1`,
    [count],
  )

/** The watcher finds such a gap when a server asked the service to come again. */
async function makeGap() {
  await inDatabase(
    `INSERT INTO refusal (receiver_id, minute, why, count, first_at, last_at)
     SELECT id, date_trunc('minute', at), 'secret-not-checkable', 10, at, at + interval '20 s'
     FROM receiver, generate_series(now() - interval '10 minutes', now() - interval '5 minutes', interval '1 minute') AS at
     WHERE state = 'active' AND NOT EXISTS (SELECT FROM refusal WHERE why = 'secret-not-checkable')`,
  )
  await inDatabase(
    `INSERT INTO gap (id, kind, about, began_at, ended_at)
     SELECT gen_random_uuid(), 'deferred', receiver_id::text, min(first_at), max(last_at) FROM refusal
     WHERE why = 'secret-not-checkable' AND NOT EXISTS (SELECT FROM gap WHERE kind = 'deferred') GROUP BY receiver_id`,
  )
}
