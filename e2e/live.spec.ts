import type { BrowserContext, Locator, Page } from '@playwright/test'
import { inDatabase } from './database.ts'
import { stateOf } from './people.ts'
import { createUserAtService, madeUpAddress, sendEvent, userUuidOf } from './sandbox.ts'
import { expect, expectAccessible, expectLive, expectWhole, test } from './test.ts'

test.use({ storageState: stateOf('admin@demo.test') })

/** The list holds the address of each live connection that the browser opened. */
function connectionsOf(context: BrowserContext): string[] {
  const opened: string[] = []
  context.on('request', (request) => {
    if (request.url().includes('/api/live')) opened.push(request.url())
  })
  return opened
}

/** The event is about an unknown person, whose id is in its row. */
async function sendOne(): Promise<string> {
  const uuid = crypto.randomUUID()
  await sendEvent({ type: 'KYC', subType: 'x', uuid, data: {} })
  return uuid
}

const lineOf = (page: Page, uuid: string) => page.getByRole('listitem').filter({ hasText: uuid.slice(0, 8) })

test('two tabs have one connection, and the one that is left goes on without a gap or a double', async ({
  page,
  context,
}) => {
  const connections = connectionsOf(context)
  const other = await context.newPage()
  await other.goto('/timeline')
  await expectLive(other)
  await page.goto('/timeline')
  await expectLive(page)
  const first = await sendOne()
  for (const tab of [other, page]) await expect(lineOf(tab, first)).toHaveCount(1)
  expect(connections).toHaveLength(1)

  await test.step('the tab with the connection is closed', async () => {
    await other.close()
    const second = await sendOne()
    await expect(lineOf(page, second)).toHaveCount(1)
    await expectLive(page)
    const third = await sendOne()
    for (const one of [first, second, third]) await expect(lineOf(page, one)).toHaveCount(1)
    expect(connections).toHaveLength(2)
    // The connection asks for what came after the last event that it received.
    expect(connections[1]).toMatch(/\?from=[0-9a-z]+\.\d+$/)
  })
})

test('a pause says how many wait, and lets them in when it ends', async ({ page }) => {
  await page.goto('/timeline')
  await expectLive(page)
  await page.getByRole('button', { name: 'Pause' }).click()
  const held = await sendOne()
  await expect(page.getByRole('button', { name: /^Resume · (\d+ waits?|many wait)$/ })).toBeVisible()
  await expect(page.getByRole('banner').getByRole('button', { name: /^Paused/ })).toBeVisible()
  await expect(lineOf(page, held)).toHaveCount(0)
  await page.getByRole('button', { name: /^Resume/ }).click()
  await expect(lineOf(page, held)).toHaveCount(1)
  await expectLive(page)
})

test('events wait above the timeline while somebody reads further down, has one open or looks for something', async ({
  page,
}) => {
  await page.goto('/timeline')
  await expectLive(page)
  const show = page.getByRole('button', { name: /^Show \d+ new$/ })
  const lines = page.getByRole('region', { name: 'Events', exact: true }).getByRole('listitem')

  const one = await test.step('further down', async () => {
    await lines.nth(40).scrollIntoViewIfNeeded()
    const one = await sendOne()
    await expect(show).toBeVisible()
    await expect(lineOf(page, one)).toHaveCount(0)
    await expectAccessible(page)
    await show.click()
    await expect(lineOf(page, one)).toBeInViewport()
    await expect(show).toBeHidden()
    await page.keyboard.press('Tab')
    await expect(lines.first().getByRole('button').first(), 'the next stop is the first event').toBeFocused()
    return one
  })

  await test.step('one is open', async () => {
    await lineOf(page, one).getByRole('button').first().click()
    await expect(lineOf(page, one).getByRole('region', { name: 'Event', exact: true })).toBeVisible()
    const other = await sendOne()
    await expect(show).toBeVisible()
    await expect(lineOf(page, other)).toHaveCount(0)
    await page.keyboard.press('Escape')
    await expect(lineOf(page, other)).toBeInViewport()
    await expect(show).toBeHidden()
  })

  await test.step('the palette stands over them', async () => {
    await page.keyboard.press('Control+k')
    await expect(page.getByRole('dialog')).toBeVisible()
    const covered = await sendOne()
    await expect(page.getByText(/^Show \d+ new$/)).toBeVisible()
    await expect(page.locator('li', { hasText: covered.slice(0, 8) })).toHaveCount(0)
    await page.keyboard.press('Escape')
    await expect(lineOf(page, covered)).toBeInViewport()
    await expect(show).toBeHidden()
  })
  await test.step('further down by the time they have been read', async () => {
    const { promise: passed, resolve: pass } = Promise.withResolvers<void>()
    await page.route(/api\/events/, async (route) => {
      const response = await route.fetch()
      await passed
      await route.fulfill({ response })
    })
    const asked = page.waitForRequest(/api\/events/)
    const late = await sendOne()
    await asked
    await lines.nth(40).scrollIntoViewIfNeeded()
    await expect(lines.first()).not.toBeInViewport()
    pass()
    await expect(show).toBeVisible()
    await expect(lineOf(page, late)).toHaveCount(0)
  })
})

test('accounts that are new wait above the list, and fill one that was empty', async ({ page }) => {
  const currency = `X${crypto.randomUUID().slice(0, 6).toUpperCase()}`
  const sendAccount = async () => {
    const uuid = crypto.randomUUID()
    await sendEvent({
      type: 'unblockBankAccount',
      subType: 'statusUpdate',
      uuid: crypto.randomUUID(),
      data: { uuid, currency, status: 'ACTIVE' },
    })
    return uuid.slice(0, 8)
  }
  await page.goto(`/accounts?currency=${currency}`)
  await expectLive(page)
  await expect(page.getByText('No account matches these filters')).toBeVisible()
  const one = await sendAccount()
  const rows = page.getByRole('region', { name: 'Accounts' }).getByRole('row')
  await expect(rows.filter({ hasText: one })).toBeVisible()
  const other = await sendAccount()
  const show = page.getByRole('button', { name: 'Show 1 new' })
  await expect(show).toBeVisible()
  await expect(rows.filter({ hasText: other })).toHaveCount(0)
  await expectWhole(page, 'accounts-new')
  const edgesOf = async (element: Locator) => {
    const { y = Number.NaN, height = 0 } = (await element.boundingBox()) ?? {}
    return { top: y, bottom: y + height }
  }
  const bar = await edgesOf(show)
  const filters = await edgesOf(page.getByRole('list', { name: 'Filters that hold' }))
  expect(bar.top, 'the button covers no filter').toBeGreaterThanOrEqual(filters.bottom)
  const head = await edgesOf(page.getByRole('columnheader').first())
  expect(bar.bottom, 'the button covers no heading').toBeLessThanOrEqual(head.top)
  await show.click()
  await expect(rows.nth(1)).toContainText(other)
  await expect(rows.nth(2)).toContainText(one)
  await expect(show).toBeHidden()
})

test('whoever hears a busy list is told of it once, not of each row', async ({ page }) => {
  await page.goto('/transactions')
  await expectLive(page)
  await page.evaluate(() => {
    const heard: string[] = []
    Reflect.set(window, 'heard', heard)
    new MutationObserver((changes) => {
      for (const { target } of changes) {
        const region = (target instanceof Element ? target : target.parentElement)?.closest(
          '[role=status], [role=alert], [aria-live]',
        )
        if (region?.textContent?.includes('above the list')) heard.push(region.textContent)
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true })
  })
  for (let count = 1; count <= 6; count++) {
    const uuid = crypto.randomUUID()
    await sendEvent({
      type: 'fiatToCrypto',
      subType: 'PENDING',
      uuid,
      data: { transactionUuid: uuid, status: 'PENDING' },
    })
    await expect(page.getByRole('button', { name: /^Show \d+ new$/ })).toBeVisible()
    await page.waitForTimeout(700)
  }
  const heard: string[] = await page.evaluate(() => Reflect.get(window, 'heard'))
  expect(heard).toHaveLength(1)
  expect(heard[0]).toBe('New transactions above the list')
})

test('people who are new wait above the list', async ({ page }) => {
  await page.goto('/users')
  await expectLive(page)
  const row = (email: string) =>
    page.getByRole('region', { name: 'Everybody' }).getByRole('row').filter({ hasText: email })
  const email = `${crypto.randomUUID().slice(0, 8)}@new.test`
  await createUserAtService(email, madeUpAddress())
  await sendEvent({ type: 'KYC', subType: 'x', uuid: await userUuidOf(email), data: {} })
  // Another test may add somebody meanwhile.
  await expect(async () => {
    await page.getByRole('button', { name: /^Show \d+ new$/ }).click()
    await expect(row(email)).toBeVisible({ timeout: 500 })
  }).toPass()
})

test('the header of every page says that deliveries are missing, and leads to where one can act', async ({
  page,
}) => {
  const id = crypto.randomUUID()
  await page.goto('/transactions')
  await expectLive(page)
  await inDatabase(
    `INSERT INTO gap (id, kind, about, began_at) VALUES ($1, 'down', '', now() - interval '1 minute')`,
    [id],
  )
  try {
    const state = page.getByRole('banner').getByRole('link', { name: /^Deliveries missing ?since/ })
    await expect(state).toContainText(/since .* · [\d,over ]+ transactions? open/)
    await page.goto('/timeline')
    await expect(page.getByRole('region', { name: 'Alerts' })).toContainText('Deliveries may be missing')
    await expectAccessible(page)
    await expect(state).toHaveAttribute('href', /^\/gaps\//)
    await page.goto(`/gaps/${id}`)
    await expect(page.getByRole('heading', { level: 1 })).toContainText('accepted no deliveries')
  } finally {
    await inDatabase('DELETE FROM gap WHERE id = $1', [id])
  }
  // Another test may have a gap meanwhile.
  await expect(page.getByRole('banner').locator(`a[href="/gaps/${id}"]`)).toHaveCount(0)
})

test('gaps and replays are tabs of the endpoints, which the navigation marks', async ({ page }) => {
  await page.goto('/overview')
  const navigation = page.getByRole('navigation', { name: 'Main' })
  for (const group of ['Work', 'Delivery', 'Merchant'])
    await expect(navigation.getByRole('heading', { name: group })).toBeVisible()
  await navigation.getByRole('link', { name: /^Endpoints/ }).click()
  const tabs = page.getByRole('navigation', { name: 'Endpoints' })
  for (const [name, heading] of [
    ['Missed deliveries', 'Missed deliveries'],
    ['Replays', 'Replays'],
    ['Endpoints', 'Webhook endpoints'],
  ] as const) {
    await tabs.getByRole('link', { name: new RegExp(`^${name}`) }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading)
    await expect(navigation.getByRole('link', { name: /^Endpoints/ })).toHaveAttribute(
      'aria-current',
      /page|true/,
    )
    await expect(tabs.getByRole('link', { name: new RegExp(`^${name}`) })).toHaveAttribute(
      'aria-current',
      'page',
    )
  }
})
