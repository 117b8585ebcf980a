import { generatePrivateKey } from 'viem/accounts'
import { signInByRequests } from './people.ts'
import { newestCode, playScenario, userUuidOf } from './sandbox.ts'
import { expect, expectComplaint, expectLive, signOut, test } from './test.ts'
import { injectWallet } from './wallet.ts'

/** The test follows a new user's first minutes, by the words of the pages and the README. Nothing is mocked. */

test('from the throw-away wallet to a transaction that moves and is found', async ({ page, context }) => {
  await test.step('signs in with the throw-away wallet by one click', async () => {
    await page.goto('/')
    await expect(page).toHaveURL(/\/sign-in/)
    await page.getByRole('button', { name: 'Throw-away wallet' }).click()
    await expect(page).toHaveURL(/\/account$/)
    await expect(page.getByRole('button', { name: /^Throw-away/ })).toBeVisible()
  })

  await test.step('reads on a phone whom to ask without a transaction, and finds the way back', async () => {
    const window = page.viewportSize()
    await page.setViewportSize({ width: 360, height: 844 })
    const header = await page.getByRole('banner').boundingBox()
    expect(header?.height, 'one line').toBeLessThan(64)
    await expect(page.getByRole('main')).toContainText('No transactions yet')
    const questions = page
      .locator('section')
      .filter({ has: page.getByRole('heading', { name: 'Questions?', exact: true }) })
    await expect(questions).toContainText('support how to verify.')
    await expect(questions).not.toContainText('reference')
    await page.getByRole('button', { name: /account and appearance/ }).click()
    await page.getByRole('link', { name: 'Your sign-ins' }).click()
    await page.getByRole('main').getByRole('link', { name: 'My account' }).click()
    await expect(page).toHaveURL(/\/account$/)
    if (window) await page.setViewportSize(window)
    await signOut(page)
  })

  await test.step('signs in as the admin with a code from the mailbox', async () => {
    const since = new Date()
    await page.getByRole('button', { name: 'admin@demo.test' }).click()
    // The mailbox shows an older code until this one has arrived.
    await newestCode('admin@demo.test', since)
    const opened = context.waitForEvent('page')
    await page.getByRole('link', { name: 'Open the sandbox mailbox' }).click()
    const mailbox = await opened
    const code = await mailbox.locator('.code').first().textContent()
    await mailbox.close()
    await page.getByLabel('Code', { exact: true }).fill(code?.trim() ?? '')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await expect(page).toHaveURL(/\/overview$/)
  })

  await test.step('creates an endpoint that points to this dashboard', async () => {
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: /^Endpoints/ })
      .click()
    await page.getByRole('link', { name: 'Add endpoint' }).click()
    await expect(page).toHaveURL(/\/endpoints\/new$/)
    await page.getByText('This dashboard', { exact: true }).click()
    await page.getByLabel('Description').fill('Second way in')
    await page.getByLabel('Reason', { exact: true }).fill('to see events twice')
    await page.getByRole('button', { name: 'Add endpoint' }).click()
    await expect(page).toHaveURL(/\/endpoints\/[0-9a-f-]{36}$/)
    await expect(page.getByRole('heading', { name: 'Second way in' })).toBeVisible()
    await expect(page.getByText('Active').first()).toBeVisible()
  })

  const uuid = await test.step('plays a transaction and watches it move', async () => {
    await page.getByRole('link', { name: 'Timeline' }).click()
    await expectLive(page)
    const played = await playScenario('fiat-to-crypto', await userUuidOf('ben@demo.test'), 20)
    const rows = page.getByRole('listitem').filter({ hasText: played.slice(0, 8) })
    await expect(rows.filter({ hasText: 'Pending' })).toBeVisible()
    await expect(rows.filter({ hasText: 'Success' })).toBeVisible({ timeout: 20_000 })
    return played
  })

  await test.step('pastes its uuid into the search and reads what happened', async () => {
    await page.getByRole('button', { name: 'Find anything' }).click()
    await page.getByRole('combobox', { name: 'Find anything' }).fill(uuid)
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(`/transactions/${uuid}`)
    await expect(page.getByRole('heading', { level: 1 })).toContainText('became')
    // The event arrived through both endpoints and is still one event. Other tests create endpoints too.
    await expect(page.getByText(/Received [2-9] times/).first()).toBeVisible()
  })
})

test('a declined signature says that nothing happened; an unknown wallet error says what to do', async ({
  page,
}) => {
  await injectWallet(page, generatePrivateKey(), 'declines')
  await page.goto('/sign-in')
  await page.getByRole('button', { name: 'Test Wallet' }).click()
  await page.getByRole('button', { name: 'Sign message' }).click()
  await expect(page.getByText('You declined. Nothing happened.')).toBeVisible()
})

test('support finds a transaction by its beginning, and cannot touch endpoints', async ({ page }) => {
  const uuid = await playScenario('crypto-to-fiat', await userUuidOf('ana@demo.test'), 100)
  await signInByRequests(page.request, 'support@demo.test')
  await page.goto('/')
  await expect(page).toHaveURL(/\/transactions$/)
  await page.getByRole('searchbox', { name: 'Search', exact: true }).fill(uuid.slice(0, 13))
  await expect(page.getByText(/1 match/)).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`/transactions/${uuid}`)
  await page.goto('/endpoints')
  await expect(page.getByRole('heading', { level: 1, name: /endpoints/i })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Add endpoint' })).toHaveCount(0)
  await expect(page.getByRole('link', { name: /^Missed deliveries/ })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Replays' })).toHaveCount(0)
  expectComplaint(page, 403, '/endpoints/new')
  await page.goto('/endpoints/new')
  await expect(page).toHaveURL('/endpoints/new')
  await expect(page.getByRole('heading', { name: 'This page needs the role Admin' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Copy a request for an admin' })).toBeVisible()
})

test('an end user sees their own transactions and nobody else’s, by no url', async ({ page }) => {
  const ben = await userUuidOf('ben@demo.test')
  const ana = await userUuidOf('ana@demo.test')
  const own = await playScenario('fiat-to-crypto', ana, 100)
  const foreign = await playScenario('fiat-to-crypto', ben, 100)
  await signInByRequests(page.request, 'ana@demo.test')
  await page.goto(`/account/transactions/${own}`)
  await expect(page.locator('main').getByText(own).last()).toBeVisible()

  expectComplaint(page, 404, `/account/transactions/${foreign}`)
  await page.goto(`/account/transactions/${foreign}`)
  await expect(page.getByRole('heading', { name: 'There is nothing here' })).toBeVisible()
  expectComplaint(page, 403, '/transactions')
  await page.goto(`/transactions#${foreign}`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('This page is not for customers')
  for (const path of [
    '/transactions',
    `/transactions/${foreign}`,
    `/go/${foreign}`,
    `/timeline/transaction:${foreign}`,
    `/timeline?event=${foreign}`,
    '/endpoints',
  ]) {
    const answer = await page.request.get(path)
    expect(answer.status(), path).toBe(403)
    const text = await answer.text()
    expect(text, path).toContain('This page is not for customers')
    expect(text, path).not.toContain('became')
  }
  for (const path of [
    '/api/transactions',
    `/api/transactions?user=${ben}`,
    '/api/events',
    `/api/events?id=${own}`,
  ])
    expect((await page.request.get(path)).status(), path).toBe(403)
  const search = await page.request.post('/api/search', {
    data: { text: own },
    headers: { origin: new URL(page.url()).origin },
  })
  expect(search.status()).toBe(403)
})

test('without a session every page leads to the sign-in and back, before anything is streamed', async ({
  request,
}) => {
  for (const path of ['/transactions', '/timeline', '/endpoints', '/endpoints/new', '/account']) {
    const answer = await request.get(path, { maxRedirects: 0 })
    expect(answer.status(), path).toBe(307)
    expect(answer.headers().location, path).toContain(`/sign-in?next=${encodeURIComponent(path)}`)
  }
  for (const path of ['/api/transactions', '/api/events', '/api/live'])
    expect((await request.get(path)).status(), path).toBe(401)
  expect((await request.post('/api/search', { data: { text: '1234' } })).status()).toBe(401)
})
