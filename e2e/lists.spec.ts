import type { Page } from '@playwright/test'
import { inDatabase } from './database.ts'
import { stateOf } from './people.ts'
import { playScenario, sendEvent, userUuidOf } from './sandbox.ts'
import { expect, expectAccessible, expectComplaint, expectLive, openAlerts, test } from './test.ts'

test.use({ storageState: stateOf('admin@demo.test') })

test('a list goes by the order that its chip says, page after page', async ({ page }) => {
  await page.goto('/transactions')
  await page.getByLabel('Order').selectOption('Largest fiat amount')
  await expect(page).toHaveURL(/sort=amount/)
  // The rows in the previous order stay until the new ones arrive.
  await expect.poll(async () => descending(await amounts(page))).toBe(true)
  const first = await amounts(page)
  expect(first.length).toBeGreaterThan(10)
  await page.getByRole('button', { name: 'Older' }).click()
  await expect(page).toHaveURL(/cursor=/)
  await page.reload()
  await expect(page.getByLabel('Order')).toHaveValue('amount')
  const both = [...first, ...(await amounts(page))]
  expect(descending(both)).toBe(true)
})

test('from the last row of a page the way goes on to the next page, and from its first row back', async ({
  page,
}) => {
  await page.goto('/transactions')
  await rows(page).last().click()
  await page.getByRole('link', { name: 'The last of this page: the next page of the list' }).click()
  await page.waitForURL(/\/transactions\?cursor=/)
  const second = await rows(page).first().getAttribute('href')
  await rows(page).first().click()
  await page.waitForURL(new RegExp(`${second}$`))
  await page.getByRole('link', { name: 'The first of this page: the page before it in the list' }).click()
  await page.waitForURL(/\/transactions$/)
  await expect(rows(page).first()).not.toHaveAttribute('href', second ?? '')
})

test('a cursor of another sort order is refused with a message, and the first page is one click away', async ({
  page,
}) => {
  await page.goto('/transactions?sort=amount')
  await page.getByRole('button', { name: 'Older' }).click()
  await page.waitForURL(/cursor=/)
  expectComplaint(page, 400, /^\/api\/transactions\?.*sort=moved/)
  await page.goto(page.url().replace('sort=amount', 'sort=moved'))
  await expect(page.getByRole('alert').filter({ hasText: 'This address cannot be read' })).toBeVisible()
  await page.getByRole('button', { name: 'Begin at the top' }).click()
  await expect(page).not.toHaveURL(/cursor=/)
  await expect(page).toHaveURL(/sort=moved/)
  await expect(page.getByText('This address cannot be read')).toBeHidden()
  await expect(rows(page).first()).toBeVisible()
})

test('a page that was emptied meanwhile leads to the top, and does not say that nothing matches', async ({
  page,
}) => {
  const customer = crypto.randomUUID()
  await addCustomer(customer, 60)
  await page.goto(`/transactions?user=${customer}`)
  await page.getByRole('button', { name: 'Older' }).click()
  await expect(page).toHaveURL(/cursor=/)
  await expect(rows(page)).toHaveCount(10)
  const second = Array.from({ length: 10 }, (_, nth) => `${customer}-${nth + 1}`)
  await inDatabase('UPDATE transaction SET user_uuid = NULL WHERE uuid = ANY($1)', [second])
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Nothing more here' })).toBeVisible()
  await expect(page.getByText('50 transactions match')).toBeVisible()
  await expect(page.getByText('No transaction matches')).toHaveCount(0)
  await expectLive(page)
  await page.getByRole('button', { name: 'Begin at the top' }).click()
  await expect(page).not.toHaveURL(/cursor=/)
  await expect(rows(page)).toHaveCount(50)
})

test('a transaction is found by whatever of it is pasted', async ({ page }) => {
  const uuid = await playScenario('fiat-to-crypto', await userUuidOf('ben@demo.test'), 1_000)
  await page.goto(`/transactions#${uuid}`)
  const box = page.getByRole('searchbox', { name: 'Search', exact: true })
  // The box gets its content from the address when the page's script has run.
  await expect(box).toHaveValue(uuid)
  for (const text of [
    `https://tickets.example/4711?transaction=${uuid}&tab=2`,
    `${uuid.slice(0, 8)}…${uuid.slice(-5)}`,
  ]) {
    await box.fill(text)
    await expect(page.getByText(/1 match, press/), text).toBeVisible()
    await expect(rows(page)).toHaveAttribute('href', `/transactions/${uuid}`)
  }
  await page.goto(`/go/${uuid}`)
  await expect(page).toHaveURL(`/transactions/${uuid}`)
})

test('the IBAN of a failed bank account finds it, typed, pasted anywhere and from a ticket', async ({
  page,
}) => {
  const account = crypto.randomUUID()
  const iban = newIban()
  // The events are sent one after the other. Otherwise they might arrive in the wrong order, which would mean a second try
  // to create it.
  for (const status of ['WAITING_CREATION', 'FAILED_CREATION']) {
    await sendEvent({
      type: 'unblockBankAccount',
      subType: 'statusUpdate',
      uuid: await userUuidOf('ben@demo.test'),
      data: { uuid: account, iban, currency: 'EUR', status },
    })
    const arrived = () =>
      inDatabase('SELECT FROM event WHERE subject_id = $1 AND status = $2', [
        `bank-account:${account}`,
        status,
      ])
    await expect.poll(arrived).toHaveLength(1)
  }
  const opened = `/accounts/${account}`
  await page.goto('/transactions')
  await page.getByRole('searchbox', { name: 'Search', exact: true }).fill(iban.replaceAll(/.{4}/g, '$& '))
  await expect(page.getByText(`IBAN ${iban} · 1 match, press`)).toBeVisible()
  await expect(page.getByRole('row', { name: /Creation failed/ })).toContainText('ben@demo.test')
  await expectAccessible(page)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(opened)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Account for EUR could not be created')
  await expect(page.getByText('Creation failed')).toHaveCount(2)
  const menu = page.getByRole('navigation', { name: 'Main' })
  await menu.getByRole('link', { name: /^Accounts/ }).click()
  await page
    .getByRole('navigation', { name: 'Which accounts' })
    .getByRole('link', { name: /^Failed lately/ })
    .click()
  await expect(page).toHaveURL('/accounts?look=1')
  await page.getByRole('combobox', { name: /^Currency/ }).selectOption('EUR')
  await expect(page).toHaveURL('/accounts?look=1&currency=EUR')
  await expect(page.locator(`main a[href="${opened}"]`)).toBeVisible()
  const ofEvents = await page.request.get(`/timeline/bank-account%3A${account}`)
  expect(new URL(ofEvents.url()).pathname).toBe(opened)
  await page.goto(`/go#${iban}`)
  await expect(page).toHaveURL(opened)
  await menu.getByRole('link', { name: 'Overview' }).click()
  await expect(page).toHaveURL('/overview')
  await page.evaluate((text) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text', text)
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }))
  }, account)
  await expect(page).toHaveURL(opened)
})

test('what is searched for stands in no address, and a link with its id finds it again', async ({ page }) => {
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.goto('/transactions')
  const box = page.getByRole('searchbox', { name: 'Search', exact: true })
  await box.fill('ben@demo.test')
  await expect(page).toHaveURL(/\/transactions\?search=[0-9a-f-]{36}$/)
  await expect(page.getByText(/E-mail ben@demo.test · .* matches/)).toBeVisible()
  await page.reload()
  await expect(box).toHaveValue('ben@demo.test')
  await expect(page.getByText(/E-mail ben@demo.test · .* matches/)).toBeVisible()
  await expectLive(page)
  await page.getByRole('button', { name: 'Find anything' }).click()
  await page.getByRole('combobox', { name: 'Find anything' }).fill('ana@demo.test')
  await page.getByRole('option', { name: 'All results for “ana@demo.test”' }).click()
  await expect(box).toHaveValue('ana@demo.test')
  expect(asked.filter((url) => /demo\.test|%40/.test(url))).toEqual([])
  await page.goto(`/transactions?search=${crypto.randomUUID()}`)
  await expect(page.getByText('This search link is not known here.')).toBeVisible()
})

test('of a customer with more than a thousand the newest comes first, and the rest page by page', async ({
  page,
}) => {
  const customer = crypto.randomUUID()
  await addCustomer(customer, 1_500)
  await page.goto('/transactions')
  await page.getByRole('searchbox', { name: 'Search', exact: true }).fill(`${customer}@example.org`)
  await expect(page.getByText(/more than 1,000 matches/)).toBeVisible()
  await expect(rows(page).first()).toHaveAttribute('href', `/transactions/${customer}-1500`)
  await expect(page.getByText('The newest 50 of more than 1,000')).toBeVisible()
  await page.getByRole('button', { name: 'Older' }).click()
  await expect(page).toHaveURL(/cursor=/)
  await expect(rows(page).first()).toHaveAttribute('href', `/transactions/${customer}-1450`)
  await page.reload()
  await expect(rows(page).first()).toHaveAttribute('href', `/transactions/${customer}-1450`)
  await expectLive(page)
  await page.getByRole('searchbox', { name: 'Search', exact: true }).fill(customer)
  await expect(page).not.toHaveURL(/cursor=/)
  await expect(rows(page).first()).toHaveAttribute('href', `/transactions/${customer}-1500`)
})

test('an address with a stray per cent sign names what it says', async ({ page }) => {
  await page.goto('/go/%zz-9')
  await expect(page).toHaveURL(/\/transactions\?search=[0-9a-f-]{36}$/)
  await expect(page.getByRole('heading', { name: 'No results for “%zz-9”' })).toBeVisible()
  expect((await page.request.get('/transactions/%zz')).status()).toBe(404)
})

test('unreadable deliveries are shown on the overview until they are retried', async ({ page }) => {
  // A first try may have left them.
  await inDatabase(`DELETE FROM delivery_pending WHERE error = 'A rule of another day'`)
  await inDatabase(
    `INSERT INTO delivery_pending (delivery_id, dead_lettered_at, error)
     SELECT id, now(), 'A rule of another day' FROM delivery ORDER BY seq LIMIT 2`,
  )
  await page.goto('/overview')
  await openAlerts(page)
  const note = page.getByRole('note').filter({ hasText: '2 deliveries are kept but not on the timeline.' })
  await expect(note.getByText('A rule of another day')).toHaveCount(2)
  await note.getByRole('button', { name: 'Show as it came' }).first().click()
  await note.getByRole('button', { name: 'The customer asks' }).click()
  await expect(note.locator('pre').first()).toContainText('"type"')
  await note.getByRole('button', { name: 'Try again…' }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByLabel('Reason', { exact: true }).fill('the rule was mended')
  await dialog.getByRole('button', { name: 'Try again', exact: true }).click()
  await expect(note).toBeHidden()
  await expect(page.getByText('The timeline is behind.')).toBeHidden()
})

/** The account number is Portuguese. A second try has another one, which finds nothing of the first. */
function newIban(): string {
  const account = Array.from(crypto.getRandomValues(new Uint8Array(17)), (byte) => byte % 10).join('')
  const digits = `0002${account}`
  const check = 98n - (BigInt(`${digits}252900`) % 97n)
  return `PT${String(check).padStart(2, '0')}${digits}`
}

/** The person is in the directory and has this number of transactions from last year. */
async function addCustomer(uuid: string, count: number) {
  await inDatabase(`INSERT INTO person (user_uuid, email, email_key, source) VALUES ($1, $2, $2, 'test')`, [
    uuid,
    `${uuid}@example.org`,
  ])
  await inDatabase(
    `WITH made AS (
       INSERT INTO transaction (subject_id, uuid, user_uuid, direction, step, details, flags, started_at, last_move_at, finished_at)
       SELECT 'transaction:' || $1 || '-' || n, $1 || '-' || n, $1, 'fiatToCrypto', 'SUCCESS', '{}', '{}', at, at, at
       FROM generate_series(1, $2::int) n, LATERAL (SELECT timestamptz '2025-01-01' + n * interval '1 min' AS at) AS t
       RETURNING subject_id, started_at
     ) INSERT INTO identifier (subject_id, value, started_at) SELECT subject_id, $1, started_at FROM made`,
    [uuid, count],
  )
}

/** The rows of a list are links, in the shape that this width uses. */
const rows = (page: Page) => page.locator('main a[data-row]:visible')

async function amounts(page: Page): Promise<number[]> {
  await expect(rows(page).first()).toBeVisible()
  const texts = await page.locator('main tbody tr:visible').allInnerTexts()
  return texts.flatMap((text) => /[€£$]([\d,.]+)/.exec(text)?.[1]?.replaceAll(',', '') ?? []).map(Number)
}

const descending = (figures: readonly number[]) =>
  figures.every((figure, index) => index === 0 || figure <= (figures[index - 1] ?? figure))
