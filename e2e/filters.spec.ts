import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { inDatabase } from './database.ts'
import { stateOf } from './people.ts'
import { sendEvent, userUuidOf } from './sandbox.ts'
import { heightOf, readShift, watchShifts } from './screens.ts'
import { expect, expectLive, expectWhole, test } from './test.ts'

test.use({ storageState: stateOf('admin@demo.test') })

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const rows = (page: Page) => page.locator('main a[data-row]:visible')
const tokens = (page: Page) => page.getByRole('list', { name: 'Filters that hold' })

/** A new customer has held, failed and done transactions in two currencies. No other test uses this customer. */
async function addCustomer(): Promise<{ uuid: string; email: string }> {
  const uuid = crypto.randomUUID()
  const email = `${uuid.slice(0, 8)}@filters.example`
  await inDatabase(`INSERT INTO person (user_uuid, email, email_key, source) VALUES ($1, $2, $2, 'test')`, [
    uuid,
    email,
  ])
  await inDatabase(
    `WITH made AS (
       INSERT INTO transaction (subject_id, uuid, user_uuid, direction, step, reason, currency_fiat, amount_fiat, chain, details, flags,
         started_at, last_move_at)
       SELECT 'transaction:' || $1 || '-' || n, $1 || '-' || n, $1, 'fiatToCrypto',
         (ARRAY['ON_HOLD', 'FAILED', 'SUCCESS'])[1 + n % 3], CASE n % 3 WHEN 0 THEN 'ON_HOLD_KYC' END,
         CASE WHEN n < 6 THEN 'EUR' ELSE 'GBP' END, 100 + n, 'polygon', '{}', '{}', at, at
       FROM generate_series(0, 11) n, LATERAL (SELECT timestamptz '2025-03-01' + n * interval '1 min' AS at) AS t
       RETURNING subject_id, started_at
     ) INSERT INTO identifier (subject_id, value, started_at) SELECT subject_id, $1, started_at FROM made`,
    [uuid],
  )
  return { uuid, email }
}

test('filters are set by the keyboard and the mouse, stand in a link, and are taken away one by one', async ({
  page,
  context,
}) => {
  const { uuid, email } = await addCustomer()
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.goto('/transactions')
  // The page reacts to keys only after its script has run.
  await expect(async () => {
    await button(page, 'More filters').press('Enter')
    await expect(page.getByRole('region', { name: 'More filters' })).toBeVisible({ timeout: 1_000 })
  }).toPass()
  const panel = page.getByRole('region', { name: 'More filters' })
  await panel.getByLabel('Person').fill(email)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`user=${uuid}`))
  await expect(rows(page)).toHaveCount(12)
  await expect(tokens(page)).toContainText(`Person: ${email}`)
  await panel.getByLabel('Reason').selectOption('KYC')
  await panel.getByLabel('Amount up to').fill('1,035')
  await page.keyboard.press('Enter')
  await expect(panel.getByText('with a point before the cents')).toBeVisible()
  expect(page.url()).not.toContain('max=')
  await panel.getByLabel('Amount up to').fill('103.5')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/reason=ON_HOLD_KYC&max=103.5/)
  await expect(rows(page)).toHaveCount(2)
  await expect(page.getByText('2 transactions match')).toBeVisible()
  await expectWhole(page, 'filters-open')
  await panel.press('Escape')
  await expect(panel).toBeHidden()
  await expect(button(page, /^More filters/)).toBeFocused()
  expect(asked.filter((url) => url.includes('filters.example'))).toEqual([])

  const other = await context.newPage()
  await other.goto(page.url())
  await expect(rows(other)).toHaveCount(2)
  await expect(tokens(other)).toContainText(`Person: ${email}`)
  await other.close()

  await button(page, 'Remove Amount: up to 103.5').press('Enter')
  await expect(page).not.toHaveURL(/max=/)
  await expect(rows(page)).toHaveCount(4)
  await expect(button(page, /^More filters/)).toBeFocused()
  await page.goBack()
  await expect(rows(page)).toHaveCount(2)
  await button(page, 'Clear all').click()
  await expect(page).toHaveURL(/\/transactions$/)
  await expect(tokens(page)).toBeHidden()
})

for (const width of [390, 768, 1280, 1920])
  test(
    `the list moves only at the press, however late the other filters come, at ${width} px`,
    width === 390 ? {} : { tag: '@slow' },
    async ({ page }) => {
      await watchShifts(page)
      await page.setViewportSize({ width, height: heightOf(width) })
      await page.goto('/transactions')
      await expectLive(page)
      // The page's scripts have loaded, so later requests are those of the filters.
      const asked = Promise.withResolvers<void>()
      const late = Promise.withResolvers<void>()
      await page.route('**/_next/static/**', async (route) => {
        asked.resolve()
        await late.promise
        await route.continue()
      })
      await button(page, 'More filters').click()
      await asked.promise
      // The browser ignores a layout shift within half a second of a key press.
      await page.waitForTimeout(700)
      const panel = page.getByRole('region', { name: 'More filters' })
      await expect(panel).toBeHidden()
      late.resolve()
      await expect(panel).toBeVisible()
      await page.waitForTimeout(200)
      const { shift, what } = await readShift(page)
      expect(shift, what).toBeLessThanOrEqual(0.02)
    },
  )

test('what comes late moves nothing: filters that hold, how many match, what a row opens', async ({
  page,
}) => {
  await watchShifts(page)
  const expectStill = async (when: string) => {
    const { shift, what } = await readShift(page)
    expect(shift, `${when}: ${what}`).toBeLessThanOrEqual(0.02)
  }
  // The browser ignores a layout shift within half a second of a key press.
  const isLate = (address: RegExp) =>
    page.route(address, async (route) => {
      await new Promise((done) => setTimeout(done, 700))
      await route.continue()
    })
  const onPhone = { width: 390, height: heightOf(390) }
  await page.setViewportSize(onPhone)
  await page.goto('/transactions?step=SUCCESS')
  await expectLive(page)
  await expect(tokens(page)).toContainText('Status: ')
  await expectStill('filters that hold')

  await isLate(/\/api\/transactions\?/)
  // The row is measured, because its link is below amounts of one or two lines on a phone.
  const top = async () => (await page.locator('main li:has(a[data-row]):visible').first().boundingBox())?.y
  const counted = await top()
  await page.getByLabel(/^Status/).selectOption('FAILED')
  const list = page.getByRole('region', { name: 'Transactions' })
  await expect(list).toHaveAttribute('aria-busy', 'true')
  expect(await top(), 'the list while matches are counted').toBe(counted)
  await expect(list).not.toHaveAttribute('aria-busy', 'true')
  expect(await top(), 'the list once they are').toBe(counted)

  await page.setViewportSize({ width: 1920, height: heightOf(1920) })
  await isLate(/\/transactions\/[0-9a-f-]{36}/)
  await rows(page).first().click()
  await expect(page.getByRole('region', { name: 'The list' })).toBeVisible()
  await expect(page.locator('[data-split] h1')).toBeVisible()
  await expectStill('an opened transaction')

  await page.setViewportSize(onPhone)
  await page.goto('/timeline')
  await expectLive(page)
  await isLate(/\/api\/events\?id=/)
  await page.locator('main [data-row]').first().click()
  const envelope = page.locator('main dl').first()
  await expect(envelope).toBeVisible()
  const before = await envelope.boundingBox()
  await expect(page.getByRole('heading', { name: 'Body' })).toBeVisible()
  expect(await envelope.boundingBox(), 'an opened event grows downwards').toEqual(before)

  await page.setViewportSize({ width: 1920, height: heightOf(1920) })
  await page.goto('/timeline')
  await expectLive(page)
  await page.locator('main [data-row]').first().click()
  await expect(page.getByRole('heading', { name: 'Body' })).toBeVisible()
  await expectStill('an opened event')
  await expect(page).toHaveURL(/event=/)
  await page.keyboard.press('Escape')
  await expect(page).not.toHaveURL(/event=/)
})

test('an empty list says which filter to remove', async ({ page }) => {
  const { uuid } = await addCustomer()
  await page.goto(`/transactions?user=${uuid}&currency=EUR&min=108`)
  await expect(
    page.getByRole('heading', { name: 'No transaction matches all of these filters' }),
  ).toBeVisible()
  await expect(button(page, 'Remove Currency: EUR: 4 transactions')).toBeVisible()
  await expectWhole(page, 'filters-nothing', [390])
  await button(page, 'Remove Amount: from 108: 6 transactions').click()
  await expect(rows(page)).toHaveCount(6)
  await expect(page).toHaveURL(new RegExp(`user=${uuid}&currency=EUR$|currency=EUR&user=${uuid}$`))
})

test('a search and filters hold at once, and a link has both', async ({ page }) => {
  const { uuid, email } = await addCustomer()
  await page.goto('/transactions?currency=GBP')
  const search = page.getByRole('searchbox', { name: 'Search', exact: true })
  await search.fill(email)
  await expect(page.getByText(/6 matches/)).toBeVisible()
  await expect(page).toHaveURL(/search=[0-9a-f-]{36}/)
  await page.getByLabel(/^Status/).selectOption('ON_HOLD')
  const found = page.getByRole('region', { name: 'Found' })
  const expectBoth = async () => {
    await expect(page.getByText(/2 matches/)).toBeVisible()
    await expect(found.locator('a[data-row]:visible').first()).toHaveAttribute(
      'href',
      `/transactions/${uuid}-9`,
    )
    await expect(found.getByText('Success')).toHaveCount(0)
  }
  await expectBoth()
  await page.reload()
  await expectBoth()
  await expect(page.getByLabel(/^Status/)).toHaveValue('ON_HOLD')
  await expect(search).toHaveValue(email)
  await expectLive(page)
  await button(page, 'Remove Currency: GBP').click()
  await expect(page.getByText(/4 matches/)).toBeVisible()
})

test('a filter that is none is named, and nothing is listed until it is taken away', async ({ page }) => {
  const { uuid } = await addCustomer()
  await page.goto(`/transactions?user=${uuid}&min=much`)
  const alert = page.getByRole('alert').filter({ hasText: 'A filter in this address is not understood' })
  await expect(alert).toContainText('min=much: Write an amount in digits')
  await expect(rows(page)).toHaveCount(0)
  await expectWhole(page, 'filters-refused', [390])
  await alert.getByRole('button', { name: 'List without it' }).click()
  await expect(rows(page)).toHaveCount(12)
  await expect(page).not.toHaveURL(/min=/)
})

test('what is filtered leaves as a file that says how much of it there is', async ({ page }) => {
  const { uuid } = await addCustomer()
  await page.goto(`/transactions?user=${uuid}&step=FAILED`)
  for (const [format, name, parts] of [
    ['csv', /^transactions-one-person-failed-\d{8}T\d{4}Z\.csv$/, 5],
    ['ndjson', /^transactions-one-person-failed-\d{8}T\d{4}Z\.ndjson$/, 4],
  ] as const) {
    await button(page, 'Export…').click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByLabel('Format').selectOption(format)
    await dialog.getByLabel('Reason', { exact: true }).fill('for a ticket')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Export' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(name)
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n')
    expect(lines).toHaveLength(parts)
    for (const line of lines.slice(parts - 4)) expect(line).toContain(`${uuid}-`)
    const done = page.getByRole('dialog', { name: 'Exported' })
    await expect(done).toContainText('4 transactions in')
    await done.getByRole('button', { name: 'Close' }).last().click()
    await expect(done).toBeHidden()
  }
})

test('accounts and companies leave as files, as they are filtered', async ({ page }) => {
  for (const [list, filter, name, one, each] of [
    ['accounts', '?state=ACTIVE', /^accounts-active-\d{8}T\d{4}Z\.csv$/, /accounts? in/, ',ACTIVE,'],
    ['companies', '', /^companies-\d{8}T\d{4}Z\.csv$/, /compan(y|ies) in/, 'Z'],
  ] as const) {
    await page.goto(`/${list}${filter}`)
    await expectLive(page)
    await button(page, 'Export…').click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByLabel('Reason', { exact: true }).fill('for a ticket')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Export' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(name)
    const ids = await page
      .locator('a[data-row]')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('href')?.split('/').at(-1) ?? ''))
    const file = await readFile(await download.path(), 'utf8')
    expect(ids.length).toBeGreaterThan(0)
    for (const id of ids) expect(file).toContain(id)
    for (const line of file.trim().split('\r\n').slice(1)) expect(line).toContain(each)
    await expect(page.getByRole('dialog', { name: 'Exported' })).toContainText(one)
  }
})

test('an export shows how far it is, cancelling it saves nothing, and a closed one stays closed', async ({
  page,
}) => {
  const { uuid } = await addCustomer()
  await page.goto(`/transactions?user=${uuid}`)
  // No answer comes, so the export is slower than any machine.
  await page.route('**/api/transactions/export?*', () => {})
  const start = async () => {
    await button(page, 'Export…').click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByLabel('Reason', { exact: true }).fill('for a ticket')
    await dialog.getByRole('button', { name: 'Export' }).click()
  }
  await start()
  const running = page.getByRole('dialog', { name: 'Exporting transactions' })
  await expect(running).toContainText('0 so far of 12 transactions')
  await expect(running.getByRole('progressbar')).toBeVisible()
  await expectWhole(page, 'export-running', [390])
  await running.getByRole('button', { name: 'Cancel' }).click()
  const cancelled = page.getByRole('dialog', { name: 'Export cancelled' })
  await expect(cancelled).toContainText('Nothing was saved')
  await page.keyboard.press('Escape')
  await start()
  await expect(running).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('the timeline lists the events of one person, whom no address names', async ({ page }) => {
  const uuid = await userUuidOf('ben@demo.test')
  await sendEvent({ type: 'KYC', subType: 'statusUpdate', uuid, data: { status: 'KYC_PENDING' } })
  await page.goto('/timeline')
  // The page reacts to clicks only after its script has run.
  await expect(async () => {
    await page.getByRole('group', { name: 'Filters' }).locator('summary').click()
    await expect(page.getByLabel('Person', { exact: true })).toBeVisible({ timeout: 1_000 })
  }).toPass()
  await page.getByLabel('Person', { exact: true }).fill('ben@demo.test')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`/timeline\\?user=${uuid}$`))
  const token = button(page, 'Remove Person: ben@demo.test')
  await expect(token).toBeVisible()
  await page.getByLabel('Type').selectOption('KYC')
  await expect(page).toHaveURL(/type=KYC/)
  await page.reload()
  await expect(token).toBeVisible()
  await expect(page.getByRole('region', { name: 'Events' }).getByText('ben@demo.test').first()).toBeVisible()
  await token.press('Enter')
  await expect(page).toHaveURL(/\/timeline\?type=KYC$/)
  // The pressed button is gone. The Tab key goes on from the chips.
  await expect(page.getByLabel('Type')).toBeFocused()
  await page.getByLabel('Flag').selectOption({ index: 1 })
  await button(page, /^Remove Flag: /).press('Enter')
  await expect(page).toHaveURL(/\/timeline\?type=KYC$/)
  await expect(page.getByLabel('Flag')).toBeFocused()
})
