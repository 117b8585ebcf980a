import type { Page } from '@playwright/test'
import { inDatabase, whileLocked } from './database.ts'
import { stateOf } from './people.ts'
import { playScenario, userUuidOf } from './sandbox.ts'
import {
  expect,
  expectComplaint,
  expectLive,
  expectUndrawnPage,
  expectWhole,
  test,
  tolerateNoNetwork,
} from './test.ts'

/**
 * The tests make something slow, unavailable or changed by somebody else. Each page must explain it and offer a way to
 * continue.
 */

test.describe(() => {
  test.use({ storageState: stateOf('support@demo.test') })

  test('a list that is late says so without moving, and a page that is late is said to be on its way', async ({
    page,
  }) => {
    await page.goto('/transactions')
    await expectWatching(page)
    const words = page.getByText('This takes longer than usual.')

    await test.step('a list', async () => {
      const list = page.getByRole('region', { name: 'Transactions' })
      const answer = Promise.withResolvers<void>()
      await page.route(/\/api\/transactions\?/, async (route) => {
        await answer.promise
        await route.continue()
      })
      await page.getByLabel('Order').selectOption('Largest fiat amount')
      await expect(list).toHaveAttribute('aria-busy', 'true')
      const before = await list.boundingBox()
      await expect(words).toBeVisible()
      expect(await list.boundingBox()).toEqual(before)
      answer.resolve()
      await expect(words).toBeHidden()
      await expect(list).toHaveAttribute('aria-busy', 'false')
    })

    await test.step('a page', async () => {
      const answer = Promise.withResolvers<void>()
      await page.route(/\/accounts\?.*_rsc=/, async (route) => {
        await answer.promise
        await route.continue()
      })
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Accounts' }).click()
      await expect(words).toBeVisible()
      answer.resolve()
      await expect(page.getByRole('heading', { level: 1, name: 'Accounts' })).toBeVisible()
      await expect(words).toBeHidden()
    })
  })

  test('without a network, or an answer of the server, each way out leaves the page, and works later', async ({
    page,
  }) => {
    const menu = page.getByRole('navigation', { name: 'Main' })
    const palette = page.getByRole('dialog', { name: 'Find anything' })
    const words = page.getByText('There is no network, so this page stays.')
    await page.goto('/timeline')
    await expectWatching(page)
    // The palette loads when it is first opened.
    await page.keyboard.press('Control+k')
    await expect(palette).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(palette).toBeHidden()

    await test.step('a link', async () => {
      await loseNetwork(page)
      await menu.getByRole('link', { name: 'Accounts' }).click()
      await expect(words).toBeVisible()
      await expect(page).toHaveURL(/\/timeline$/)
      await regainNetwork(page)
      await expect(words).toBeHidden()
      await menu.getByRole('link', { name: 'Accounts' }).click()
      await expect(page.getByRole('heading', { level: 1, name: 'Accounts' })).toBeVisible()
    })

    await test.step('the palette, a paste and a filter', async () => {
      const ways: readonly (() => Promise<unknown>)[] = [
        async () => {
          await page.keyboard.press('Control+k')
          await page.getByRole('combobox', { name: 'Find anything' }).fill('endpo')
          await palette.getByRole('option', { name: 'Endpoints', exact: true }).click()
        },
        () => paste(page, 'ben@demo.test'),
        () => page.getByLabel('Kind').selectOption({ index: 1 }),
      ]
      for (const leave of ways) {
        await loseNetwork(page)
        await leave()
        await expect(words).toBeVisible()
        await expect(page).toHaveURL(/\/accounts$/)
        await regainNetwork(page)
        await expect(words).toBeHidden()
      }
      await page.getByLabel('Kind').selectOption({ index: 1 })
      await expect(page).toHaveURL(/type=/)
    })

    await test.step('a browser that sees no network opens the pages of a server that answers', async () => {
      await sayNoNetwork(page)
      await menu.getByRole('link', { name: 'Companies' }).click()
      await expect(page.getByRole('heading', { level: 1, name: 'Companies' })).toBeVisible()
      await expect(words).toBeHidden()
      await regainNetwork(page)
    })

    await test.step('a search that the server does not answer goes on when it does', async () => {
      for (const address of ['/api/search', '/api/session']) {
        expectComplaint(page, 503, address)
        await page.route(address, (route) => route.fulfill({ status: 503 }))
      }
      await paste(page, 'ben@demo.test')
      await expect(page.getByText('The server does not answer, so this page stays.')).toBeVisible()
      await expect(page).toHaveURL(/\/companies$/)
      await page.unrouteAll()
      await expect(page.getByRole('heading', { level: 1, name: 'Transactions' })).toBeVisible()
      await expect(page.getByRole('searchbox', { name: 'Search', exact: true })).toHaveValue('ben@demo.test')
    })
  })

  test.describe('beside the list', () => {
    test.use({ viewport: { width: 1920, height: 1080 } })

    test('without a network j and k leave the transaction that is open', async ({ page }) => {
      await page.goto('/transactions')
      await page.locator('main a[data-row]:visible').first().click()
      const rows = page.getByRole('region', { name: 'The list' }).locator('a[data-row]:visible')
      await expect(rows.nth(1)).toBeVisible()
      const opened = page.url()
      await loseNetwork(page)
      await page.keyboard.press('j')
      await expect(page.getByText('There is no network, so this page stays.')).toBeVisible()
      expect(page.url()).toBe(opened)
    })
  })
})

test.describe('a slow database', () => {
  test.use({ storageState: stateOf('admin@demo.test') })
  // Two of these tests at once would each wait for the other's lock.
  test.describe.configure({ mode: 'serial' })

  // The fewest pages read the table of imports, so few other tests wait.
  const table = 'user_import'

  test('is said to be late, and the page comes once it answers', async ({ page }) => {
    await page.goto('/users')
    await expectWatching(page)
    const words = page.getByText('This takes longer than usual.')
    await whileLocked(table, async () => {
      await page.getByRole('link', { name: 'Import', exact: true }).click()
      await expect(words).toBeVisible()
      await expect(page).toHaveURL(/\/users$/)
    })
    await expect(page.getByRole('heading', { level: 1, name: 'Import people' })).toBeVisible()
    await expect(words).toBeHidden()
  })

  test('that gives up leaves words and a way on, by which the page comes later', async ({ page }) => {
    expectUndrawnPage(page)
    await page.goto('/users')
    await expectWatching(page)
    const alert = page.getByRole('main').getByRole('alert')
    const retry = alert.getByRole('button', { name: 'Try again' })
    await whileLocked(table, async () => {
      await page.getByRole('link', { name: 'Import', exact: true }).click()
      // The live feed may have loaded the page twice.
      await expect(async () => {
        await endPage()
        await expect(alert).toContainText('Nothing was changed and nothing is lost.', { timeout: 1_000 })
      }).toPass()
      await expect(retry).toBeVisible()
    })
    await retry.click()
    await expect(page.getByRole('heading', { level: 1, name: 'Import people' })).toBeVisible()
    await expect(alert).toBeHidden()
  })
})

test.describe('an answer about endpoints', () => {
  test.use({ storageState: stateOf('admin@demo.test') })
  test.describe.configure({ mode: 'serial' })

  // Only this page reads the table, together with its request to the service.
  const table = 'key_fault'
  const standIn = (page: Page) => page.getByText('Loading the endpoints')
  const heading = (page: Page) => page.getByRole('heading', { level: 1, name: 'Webhook endpoints' })
  const choose = async (page: Page, state: RegExp) => {
    const link = page.getByRole('main').getByRole('link', { name: state })
    // A click before React has attached its handlers leaves the page instead of changing it.
    const isReacts = () => link.evaluate((node) => Object.keys(node).some((key) => key.startsWith('__react')))
    await expect.poll(isReacts).toBe(true)
    await link.click()
  }

  test('in time comes with its page, and one that is late later leaves the page', async ({ page }) => {
    await expect
      .poll(async () => (await page.request.get('/endpoints')).text())
      .not.toContain('Loading the endpoints')
    await page.goto('/endpoints')
    await expectWatching(page)
    const shown = await heading(page).elementHandle()
    await whileLocked(table, async () => {
      await choose(page, /^Active/)
      await expect(page.getByText('This takes longer than usual.')).toBeVisible({ timeout: 10_000 })
      await expect(heading(page)).toBeVisible()
      await expect(standIn(page)).toBeHidden()
    })
    await expect(page).toHaveURL(/status=active/)
    expect(await shown?.evaluate((node) => node.isConnected)).toBe(true)
  })

  test('that is late comes after a stand-in, and one in time later makes nothing anew', async ({ page }) => {
    await whileLocked(table, async () => {
      await page.goto('/endpoints', { waitUntil: 'commit' })
      await expect(standIn(page)).toBeVisible()
    })
    await expect(heading(page)).toBeVisible()
    await expectWatching(page)
    const shown = await heading(page).elementHandle()
    await choose(page, /^Active/)
    await expect(page).toHaveURL(/status=active/)
    expect(await shown?.evaluate((node) => node.isConnected)).toBe(true)
  })
})

test.describe('a customer', () => {
  test.use({ storageState: stateOf('ana@demo.test'), locale: 'de-DE' })

  test('reads on without a network, and is told so in German', async ({ page }) => {
    await playScenario('fiat-to-crypto', await userUuidOf('ana@demo.test'), 100)
    await page.goto('/account')
    const one = page.locator('main a[href^="/account/transactions/"]').first()
    await expect(one).toBeVisible()
    // The page reacts to a click only after its script has run.
    await expect(page.getByRole('banner').getByRole('status')).toHaveText('Aktuell')
    await loseNetwork(page)
    const words = page.getByText('Es gibt kein Netz, deshalb bleibt diese Seite stehen.')
    await one.click()
    await expect(words).toBeVisible()
    await expect(page).toHaveURL(/\/account$/)
    await expectWhole(page, 'german-no-network', [390])
    await regainNetwork(page)
    await expect(words).toBeHidden()
    await one.click()
    await expect(page).toHaveURL(/\/account\/transactions\//)
  })
})

/**
 * The function ends the waiting query of the page of imports, as a limit of the database would. It answers a row when there
 * was one.
 */
const endPage = () =>
  inDatabase(
    `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
     WHERE wait_event_type = 'Lock' AND query LIKE '%checked_at FROM user_import%ORDER BY%'
     ORDER BY query_start DESC LIMIT 1`,
  )

/** `PageChange` loads after the page and shows nothing. A click before that has no effect on it. */
async function expectWatching(page: Page) {
  await expectLive(page)
  await expect(page.locator('[role=status].max-w-lg')).toBeAttached()
}

/** A page asks this before it opens another one that may not come. */
const question = '**/api/session'

async function loseNetwork(page: Page) {
  tolerateNoNetwork(page)
  await sayNoNetwork(page)
  await page.route(question, (route) => route.abort('internetdisconnected'))
}

/** The browser itself reports that it is offline. */
const sayNoNetwork = (page: Page) =>
  page.evaluate(() => Object.defineProperty(navigator, 'onLine', { configurable: true, get: () => false }))

async function regainNetwork(page: Page) {
  await page.evaluate(() => Reflect.deleteProperty(navigator, 'onLine') && dispatchEvent(new Event('online')))
  await page.unroute(question)
}

/** The text is pasted while nothing has the focus. */
const paste = (page: Page, text: string) =>
  page.evaluate((pasted) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text', pasted)
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }))
  }, text)
