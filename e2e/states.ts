import { expect, type Page } from '@playwright/test'
import { inDatabase } from './database.ts'
import { sendEvent, userUuidOf } from './sandbox.ts'
import { expectComplaint } from './test.ts'

/** A page in one of its states, and who looks at it; nobody who is signed in by default. */
export interface PageState {
  readonly as?: string
  readonly open: (page: Page) => Promise<unknown>
}

const support = 'support@demo.test'
const admin = 'admin@demo.test'

/**
 * States that `npm run prove -- screens` looks at beside those of `npm test`, in an installation that has nothing else to do:
 * what they bring about would be in the way of other tests.
 */
export const statesOfProof: Record<string, PageState> = {
  'transaction-held': { as: support, open: (page) => openFirst(page, '/transactions?step=ON_HOLD') },
  'transaction-failed': { as: support, open: (page) => openFirst(page, '/transactions?step=FAILED') },
  'transaction-conflict': {
    as: support,
    open: async (page) => {
      const transactionUuid = crypto.randomUUID()
      const data = { transactionUuid, amountFiat: 4.76, currencyFiat: 'EUR' }
      for (const subType of ['SUCCESS', 'FAILED'])
        await sendEvent({
          type: 'fiatToCrypto',
          subType,
          uuid: await userUuidOf('ben@demo.test'),
          data: { ...data, status: subType === 'SUCCESS' ? 'PROCESS_COMPLETED' : 'PROCESS_FAILED' },
        })
      await expect(async () => {
        const rows = await inDatabase(`SELECT FROM transaction WHERE uuid = $1 AND 'conflict' = ANY(flags)`, [
          transactionUuid,
        ])
        expect(rows).toHaveLength(1)
      }).toPass()
      await page.goto(`/transactions/${transactionUuid}`)
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
      await page.getByLabel('Order').selectOption('Largest fiat amount')
      await expect(page.getByRole('alert').first()).toBeVisible()
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
}

/** The first thing that a list names. */
async function openFirst(page: Page, list: string, kind = 'transactions') {
  await page.goto(list)
  await page.locator(`main a[href^="/${kind}/"]:not([href$="/new"]):visible`).first().click()
  await page.waitForURL(new RegExp(`/${kind}/[0-9a-f-]{36}`))
}

/** Older than all that the demo has, each like the oldest of those, until there are so many. */
const makeTransactions = (count: number) =>
  inDatabase(
    `INSERT INTO transaction (subject_id, uuid, direction, step, reason, amount_fiat, currency_fiat, user_uuid, details, flags,
       started_at, last_move_at)
     SELECT 'transaction:' || made.uuid, made.uuid, direction, step, reason, amount_fiat, currency_fiat, user_uuid, details,
       flags, started_at - n * interval '1 min', last_move_at - n * interval '1 min'
     FROM (SELECT * FROM transaction ORDER BY started_at LIMIT 1) AS oldest,
       LATERAL (SELECT n, gen_random_uuid()::text AS uuid FROM generate_series(1, $1) AS n) AS made
     WHERE (SELECT count(*) FROM transaction) < $1`,
    [count],
  )

/** As the watcher finds one when a server asked the service to come again. */
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
