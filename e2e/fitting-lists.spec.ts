import type { Page } from '@playwright/test'
import { inDatabase } from './database.ts'
import { openOnceItSays } from './open-once.ts'
import { stateOf } from './people.ts'
import { sendEvent, userUuidOf } from './sandbox.ts'
import { expect, expectAccessible, expectLive, test } from './test.ts'

/** A list fits its page, does not move while a person reads it, and keeps its position for a return. */

test.use({ storageState: stateOf('admin@demo.test') })

const stranger = 'somethingThatAStrangerCallsByAVeryLongNameWhichNobodyHasEverHeardOfBefore'

/** The widths are pixels. */
const widths = [1280, 1440, 2560]

test('a transaction of a step with a long name and of long amounts shows all that names it', async ({
  page,
}) => {
  const step = newStep()
  const uuid = await sendTransaction(step, {
    amountFiat: 1_234_567.89,
    currencyFiat: 'EUR',
    amountCrypto: 1_234_567.123456789,
    currencyCrypto: 'USDC',
  })
  await openList(page, step, uuid)
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    for (const name of ['Transaction', 'Status', 'From', 'To', 'Person', 'Updated'])
      await expect(page.getByRole('columnheader', { name, exact: true })).toBeVisible()
    const row = page.getByRole('row').filter({ has: page.locator(`a[href^="/transactions/${uuid}"]`) })
    await expect(row).toContainText('€1,234,567.89')
    await expect(row).toContainText('1,234,567.123456789 USDC')
    await expect(row).toContainText('ben@demo.test')
    await row.hover()
    await expectFits(page, width)
  }
})

test('whose a transaction is has 160 px at every width, in the list and in a search', {
  tag: '@slow',
}, async ({ page }) => {
  const uuid = await sendTransaction(newStep(), {})
  for (const address of ['/transactions', '/transactions#ben@demo.test']) {
    await page.goto('about:blank')
    await page.goto(address)
    const person = page.getByRole('columnheader', { name: 'Person' })
    for (const width of [1200, 1280, 1366, 1440, 1536, 1680, 2560]) {
      await page.setViewportSize({ width, height: 900 })
      await expect
        .poll(async () => (await person.boundingBox())?.width ?? 0, `${address} at ${width} px`)
        .toBeGreaterThanOrEqual(160)
    }
  }
  await page.setViewportSize({ width: 1366, height: 900 })
  const typo = `${uuid.slice(0, 35)}${uuid.endsWith('0') ? '1' : '0'}`
  await page.goto('about:blank')
  await page.goto(`/transactions#${encodeURIComponent(`${typo}\n${uuid}\n5.49 apples`)}`)
  const answers = page.getByRole('region', { name: 'Answers' }).getByRole('cell')
  await expect(answers.filter({ hasText: 'close to' })).toBeVisible()
  expect(
    await answers.evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).length),
  ).toBe(0)
})

test.describe('on a phone whose browser says that it is one', () => {
  test.use({
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
    extraHTTPHeaders: { 'sec-ch-ua-mobile': '?1' },
  })

  test('a list comes as blocks alone, and is a table once the window is as wide', async ({ page }) => {
    const uuid = await sendTransaction(newStep(), {})
    const sent = async (headers: Record<string, string>) =>
      (await page.request.get('/transactions', { headers })).text()
    expect(await sent({})).not.toContain('<table')
    expect(await sent({ 'sec-ch-ua-mobile': '?0' })).toContain('<table')
    const row = (role: 'listitem' | 'row') =>
      page.getByRole(role).filter({ has: page.locator(`a[href^="/transactions/${uuid}"]`) })
    await page.goto('/transactions')
    await expect(row('listitem')).toBeVisible()
    await expect(page.locator('main table')).toHaveCount(0)
    // The sidebar takes part of the width from 1024 px on.
    await page.setViewportSize({ width: 1000, height: 390 })
    await expect(row('row')).toBeVisible()
    await page.setViewportSize({ width: 390, height: 844 })
    await expect(row('listitem')).toBeVisible()
  })
})

test('a search that finds a type with a long name fits', { tag: '@slow' }, async ({ page }) => {
  const uuid = crypto.randomUUID()
  await sendEvent({ type: 'KYC', subType: stranger, uuid, data: { status: stranger } })
  // The sandbox sends only what the contract names.
  const rename = () =>
    inDatabase('UPDATE event SET type = $1 WHERE entity_uuid = $2 RETURNING id', [stranger, uuid])
  await expect.poll(rename).toHaveLength(1)
  await page.goto(`/transactions#${uuid}`)
  await expect(page.getByRole('region', { name: 'Found' }).getByRole('row')).toHaveCount(2)
  await expect(page.getByRole('row').filter({ hasText: stranger })).toBeVisible()
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    await expectFits(page, width)
  }
})

test('the timeline names what an event is about at 1280 px, and an amount stands in one line at 1440 px', async ({
  page,
}) => {
  const uuid = await sendTransaction(newStep(), { amountCrypto: 15_034.547376, currencyCrypto: 'USDC' })
  await page.goto('/timeline')
  const line = page.getByRole('listitem').filter({ hasText: shortened(uuid) })
  await expect(line.getByText(shortened(uuid))).toBeVisible()
  await page.setViewportSize({ width: 1440, height: 900 })
  const amount = line.getByText('15,034.547376 USDC')
  await expect(amount).toBeVisible()
  expect(await amount.evaluate((element) => element.getClientRects().length), 'lines').toBe(1)
})

test('new rows wait behind a bar, the head stays, and nothing moves until the bar is pressed', async ({
  page,
}) => {
  const step = newStep()
  const [uuid = ''] = await addTransactions(step, 40)
  await openList(page, step, uuid)
  await expectLive(page)
  const head = page.getByRole('columnheader', { name: 'Status' })
  const read = rows(page).nth(20)
  await read.evaluate((row) => row.scrollIntoView({ block: 'center' }))
  const before = await read.boundingBox()
  expect(await head.boundingBox()).toMatchObject({ y: 54 })
  await expect(head).toBeInViewport()
  const fresh = await sendTransaction(step, {})
  const bar = page.getByRole('button', { name: 'Show 1 new' })
  await expect(bar).toBeInViewport()
  expect((await read.boundingBox())?.y).toBe(before?.y)
  await bar.click()
  await expect(rows(page).first()).toHaveAttribute('href', `/transactions/${fresh}`)
  await expect(rows(page).first()).toBeInViewport()
  await expect(bar).toBeHidden()
})

test('a row stays as new as it is when a newer one has pushed it off the page', async ({ page }) => {
  const step = newStep()
  const all = await addTransactions(step, 51)
  await openList(page, step, all[0] ?? '')
  await expectLive(page)
  const last = page.getByRole('row').last()
  await expect(rows(page).last()).toHaveAttribute('href', `/transactions/${all[49]}`)
  await inDatabase(`UPDATE transaction SET step = 'SUCCESS' WHERE uuid = $1`, [all[49]])
  await sendTransaction(step, {})
  await expect(page.getByRole('button', { name: 'Show 1 new' })).toBeVisible()
  await expect(last).toContainText('Success')
})

test('going back finds the page and the place, and the row that was opened has the focus', async ({
  page,
}) => {
  const step = newStep()
  const [uuid = ''] = await addTransactions(step, 110)
  await openList(page, step, uuid)
  const older = page.getByRole('button', { name: 'Older' })
  await older.scrollIntoViewIfNeeded()
  const first = await scrolled(page)
  await older.click()
  await expect(page).toHaveURL(/cursor=/)
  await expect.poll(() => scrolled(page)).toBe(0)
  const opened = page.locator(`main tbody a[href="/transactions/${step}-40"]`)
  await expect(opened).toBeVisible()
  await opened.evaluate((row) => row.scrollIntoView({ block: 'center' }))
  const second = await scrolled(page)
  expect(second).toBeGreaterThan(100)
  await opened.click()
  await expect(page).toHaveURL(`/transactions/${step}-40`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.evaluate(() => scrollTo(0, 0))
  await page.goBack()
  await expect(page).toHaveURL(/cursor=/)
  await expect(opened).toBeInViewport()
  await expect(opened).toBeFocused()
  await expect.poll(() => scrolled(page)).toBe(second)
  await page.goBack()
  await expect(page).not.toHaveURL(/cursor=/)
  await expect(page.locator(`main tbody a[href="/transactions/${step}-100"]`)).toBeVisible()
  await expect.poll(() => scrolled(page)).toBe(first)

  await test.step('a row that is opened before the router has the address of its page', async () => {
    await page.evaluate(async (href) => {
      ;[...document.querySelectorAll('button')].find((button) => button.textContent === 'Older')?.click()
      // React draws the page after this handler, and the router follows in a later task.
      await null
      const row = document.querySelector<HTMLElement>(`main tbody a[href="${href}"]`)
      row?.focus()
      row?.click()
    }, `/transactions/${step}-40`)
    await expect(page).toHaveURL(`/transactions/${step}-40`)
    await page.goBack()
    await expect(page).toHaveURL(/cursor=/)
    await expect(opened).toBeFocused()
  })
})

const withRows = ['transactions', 'users', 'endpoints', 'timeline', 'accounts', 'companies', 'team']

for (const [those, paths, details] of [
  ['', ['transactions', 'users', 'endpoints', 'timeline', 'accounts', 'audit'], {}],
  [' of the others', ['companies', 'team', 'gaps', 'replays'], { tag: '@slow' }],
] as const)
  test(
    `no list${those} scrolls sideways, and the Tab key stops once at each row`,
    details,
    async ({ page }) => {
      test.slow()
      await sendEvent({
        type: 'unblockBankAccount',
        subType: 'statusUpdate',
        uuid: await userUuidOf('ben@demo.test'),
        data: { uuid: crypto.randomUUID(), currency: 'EUR', status: stranger },
      })
      for (const path of paths)
        await test.step(path, async () => {
          await page.goto(`/${path}`)
          await expectLive(page)
          await expect(page.locator('main [role=status] .animate-breathe')).toHaveCount(0)
          if (withRows.includes(path)) await expectTabStopsOnceAtEachRow(page)
          for (const width of widths) {
            await page.setViewportSize({ width, height: 900 })
            await expectFits(page, width)
          }
        })
    },
  )

// A person reads an entry of the audit in the list and opens no page, so each of its controls is a stop.
test('the Tab key stops in an entry of the audit at what it is about, its ids and its further facts', async ({
  page,
}) => {
  await page.goto('/audit')
  const entries = page.getByRole('main').locator('tbody tr')
  await expect(entries.nth(1)).toBeVisible()
  await expect(page.locator('main [data-row]')).toHaveCount(0)
  const stops = entries.locator('a, button, summary, [tabindex]')
  expect(await stops.count()).toBeGreaterThan(2)
  await stops.first().focus()
  for (let at = 1; at < Math.min(8, await stops.count()); at++) {
    await page.keyboard.press('Tab')
    await expect(stops.nth(at)).toBeFocused()
  }
})

test.describe('1920 px', () => {
  test.use({ viewport: { width: 1920, height: 1080 } })

  test('the list stays beside what it opened, j and k walk it, Escape closes it', async ({ page }) => {
    const step = newStep()
    let sent = ''
    for (let each = 0; each < 3; each++) sent = await sendTransaction(step, {})
    // Rows that arrive after the list was opened wait behind its bar.
    const arrived = () => inDatabase('SELECT FROM transaction WHERE step = $1', [step])
    await expect.poll(arrived).toHaveLength(3)
    await openList(page, step, sent)
    await expect(rows(page)).toHaveCount(3)
    // The rows follow the order of arrival, which may differ from the order of sending.
    const shown = await rows(page).evaluateAll((links) => links.map((link) => link.getAttribute('href')))
    const [newest = '', middle = '', oldest = ''] = shown.map((href) => /[0-9a-f-]{36}/.exec(href ?? '')?.[0])
    const beside = page.getByRole('region', { name: 'The list' })
    await expect(beside).toBeHidden()
    await rows(page).first().focus()
    await page.keyboard.press('Enter')
    const addressOf = (uuid: string) => `/transactions/${uuid}?step=${step}`
    await expect(page).toHaveURL(addressOf(newest))
    await expect(beside.locator('a[data-row]:visible')).toHaveCount(3)
    const heading = page.getByRole('heading', { level: 1 })
    await expect(heading).toBeInViewport()
    await expectAccessible(page)

    await page.keyboard.press('j')
    await expect(page).toHaveURL(addressOf(middle))
    await expect(beside.locator('a[aria-current=true]:visible')).toHaveAttribute('href', addressOf(middle))
    await page.keyboard.press('j')
    await expect(page).toHaveURL(addressOf(oldest))
    await page.keyboard.press('k')
    await expect(page).toHaveURL(addressOf(middle))

    await test.step('the address opens the same anew, elsewhere without the list', async () => {
      await page.reload()
      await expect(beside.locator('a[data-row]:visible')).toHaveCount(3)
      await expect(beside.locator('a[aria-current=true]:visible')).toHaveAttribute('href', addressOf(middle))
      await page.setViewportSize({ width: 1440, height: 900 })
      await expect(beside).toBeHidden()
      await expect(heading).toBeVisible()
      await page.setViewportSize({ width: 1920, height: 1080 })
      await expect(beside.locator('a[data-row]:visible')).toHaveCount(3)
    })

    await page.keyboard.press('Escape')
    await expect(page).toHaveURL(`/transactions?step=${step}`)
    await expect(beside).toBeHidden()
    await expect(rows(page)).toHaveCount(3)
  })
})

/** The step is unique to the test, as a newer service might send it. */
const newStep = () => `NEW_STEP_OF_A_NEWER_SERVICE_${crypto.randomUUID().slice(0, 8).toUpperCase()}`

const shortened = (uuid: string) => `${uuid.slice(0, 8)}…${uuid.slice(-5)}`

/** The function sends the first event of a transaction of ben, and answers its uuid. */
async function sendTransaction(step: string, data: object): Promise<string> {
  const transactionUuid = crypto.randomUUID()
  await sendEvent({
    type: 'fiatToCrypto',
    subType: step,
    uuid: await userUuidOf('ben@demo.test'),
    data: { transactionUuid, status: step, ...data },
  })
  return transactionUuid
}

/** The function stores transactions of last year, and answers their ids, newest first. */
async function addTransactions(step: string, count: number): Promise<string[]> {
  await inDatabase(
    `INSERT INTO transaction (subject_id, uuid, direction, step, details, flags, started_at, last_move_at, finished_at)
     SELECT 'transaction:' || $1 || '-' || n, $1 || '-' || n, 'fiatToCrypto', $1, '{}', '{}', at, at, at
     FROM generate_series(1, $2::int) n, LATERAL (SELECT timestamptz '2025-01-01' + n * interval '1 min' AS at) AS t`,
    [step, count],
  )
  return Array.from({ length: count }, (_, at) => `${step}-${count - at}`)
}

/** The list shows one step, and contains this transaction. */
async function openList(page: Page, step: string, uuid: string) {
  await openOnceItSays(page, `/transactions?step=${step}`, `/transactions/${uuid}`)
  await expect(page.locator(`main a[href^="/transactions/${uuid}"]:visible`)).toBeVisible()
}

async function expectTabStopsOnceAtEachRow(page: Page) {
  const all = page.locator('main [data-row]:visible')
  await expect(all.nth(1)).toBeVisible()
  await all.first().focus()
  for (let at = 1; at < Math.min(4, await all.count()); at++) {
    // New rows may appear above meanwhile.
    const next = await page.evaluateHandle(rowAfterFocus)
    await page.keyboard.press('Tab')
    expect(await next.evaluate((row) => row === document.activeElement), 'Tab leads to the next row').toBe(
      true,
    )
  }
}

/** The function runs in the page. It answers the link of the row after the focused one. */
function rowAfterFocus() {
  const all = [...document.querySelectorAll('main [data-row]')].filter((row) => row.checkVisibility())
  return all.find((_, at) => all[at - 1] === document.activeElement) ?? null
}

const rows = (page: Page) => page.locator('main a[data-row]:visible')

const scrolled = (page: Page) => page.evaluate(() => Math.round(scrollY))

/** A page that has just become wider may still be rendering. */
const expectFits = (page: Page, width: number) =>
  expect.poll(() => whatDoesNotFit(page), `what does not fit at ${width} px`).toEqual([])

/** The answer names what scrolls sideways, and table cells that reach outside their list. */
const whatDoesNotFit = (page: Page) =>
  page.evaluate(() => {
    const wide = [document.documentElement, ...document.querySelectorAll<HTMLElement>('main, main *')].filter(
      (element) =>
        element.scrollWidth > element.clientWidth &&
        (element === document.documentElement || /auto|scroll/.test(getComputedStyle(element).overflowX)),
    )
    const right = document.querySelector('main')?.getBoundingClientRect().right ?? 0
    const cells = [...document.querySelectorAll('main th, main td, main td button')].filter(
      (cell) => cell.checkVisibility() && cell.getBoundingClientRect().right > right,
    )
    return [...wide, ...cells].map((element) => `${element.tagName} ${element.className}`.slice(0, 120))
  })
