import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import type { Browser, Page } from '@playwright/test'
import { generatePrivateKey } from 'viem/accounts'
import { callAction } from './call-action.ts'
import { type Merchant, startMerchant } from './merchant.ts'
import { addVirtualAuthenticator, expect, expectWhole, test } from './test.ts'
import { injectWallet } from './wallet.ts'

let merchant: Merchant
test.beforeAll(async ({ playwright, launchOptions }) => {
  const launch = () => playwright.chromium.launch(launchOptions)
  merchant = await startMerchant(async (url) => opensHttps(await launch(), url))
})
test.afterAll(() => merchant.stop())

test('a merchant’s first week, from the set-up link to the day an agent leaves', async ({ browser }) => {
  test.setTimeout(600_000)

  const secured = merchant.url.startsWith('https:')
  // The service delivers to https addresses only (§8).
  const stepWithDeliveries: (title: string, body: () => Promise<void>) => Promise<void> = secured
    ? test.step
    : test.step.skip
  const admin = await openBrowser(browser)
  await test.step('the set-up link that the start prints makes the first admin, with a passkey', async () => {
    await addVirtualAuthenticator(admin)
    await openLink(admin, merchant.setUpLink)
    await admin.getByLabel('Your name').fill('Olga Owner')
    await expect(admin.getByLabel('E-mail')).toHaveAccessibleDescription('Alerts and notices go to it.')
    await admin.getByLabel('Name of this passkey').fill('Work laptop')
    await admin.getByRole('button', { name: 'Create passkey' }).click()
    await admin.waitForURL(`${merchant.url}/overview`)
    const cookies = await admin.context().cookies()
    expect(cookies.map(({ name }) => name)).toContain(
      `${secured ? '__Host-' : ''}rampart-${new URL(merchant.url).port}.session`,
    )
    const open = cookies.filter(({ name, secure }) => !(name.startsWith('__Host-') && secure))
    if (secured) expect(open).toEqual([])
  })

  const steps = admin.getByRole('region', { name: 'First steps' })
  await test.step('the overview says what is left to do, and what is done already', async () => {
    await expect(steps.getByText('1 of 3 done')).toBeVisible({ timeout: 90_000 })
    await expect(steps.getByRole('listitem').filter({ hasText: 'accepts the API key' })).toContainText(
      ', done',
    )
    await expectWhole(admin, 'overview-first-steps')
  })

  const support = await openBrowser(browser)
  const compliance = await openBrowser(browser)
  await test.step('support and compliance are invited and join by single sign-on', async () => {
    await join(support, { link: await invite(admin, 'Sam Support', 'support'), sub: 'sam' })
    await join(compliance, { link: await invite(admin, 'Cleo Compliance', 'compliance'), sub: 'cleo' })
  })

  await test.step('the admin tests single sign-on, sees which claims came, and is still signed in', async () => {
    merchant.provider.state.account = { sub: 'olga', name: 'Olga at the provider', email: 'olga@demo.test' }
    await admin.goto('/settings')
    const card = admin.locator('#single-sign-on')
    await card.getByRole('button', { name: 'Test single sign-on' }).click()
    await expect(card.getByText('Sign-in works')).toBeVisible({ timeout: 30_000 })
    await expect(card.getByText('Olga at the provider')).toBeVisible()
    await expect(card.getByText(/auth_time, .*iss/)).toBeVisible()
    await expectWhole(admin, 'settings-single-sign-on')
    await admin.goto('/team')
    await expect(admin.getByText('Olga at the provider')).toBeHidden()
  })

  await stepWithDeliveries('the service is connected: an endpoint delivers here', async () => {
    await admin.goto('/overview')
    await steps.getByRole('link', { name: 'Add this dashboard' }).click()
    await admin.getByLabel('Reason', { exact: true }).fill('The first endpoint')
    await admin.getByRole('button', { name: 'Add endpoint' }).click()
    await expect(admin.getByRole('heading', { name: 'Rampart (this dashboard)' })).toBeVisible()
  })

  await test.step('12 people are imported from a file, after a look at what it holds', async () => {
    await admin.goto('/users/import')
    const csv = { name: 'customers.csv', mimeType: 'text/csv', buffer: Buffer.from(csvOfPeople(12)) }
    await admin.getByLabel('CSV file').setInputFiles(csv)
    await admin.getByRole('button', { name: 'Check it' }).click()
    await admin.getByRole('button', { name: 'Import 12' }).click()
    await admin.getByRole('alertdialog').getByLabel('Reason', { exact: true }).fill('the customers of before')
    await admin.getByRole('alertdialog').getByRole('button', { name: 'Import 12' }).click()
    await expect(admin.getByText('12 of 12 imported')).toBeVisible({ timeout: 240_000 })
  })

  const stranger = await merchant.createUser('stranger@demo.test', 'Sofia', 'Stranger')
  await stepWithDeliveries('a delivery about somebody unknown names them', async () => {
    await admin.goto('/overview')
    await expect(steps.getByText('2 of 3 done')).toBeVisible({ timeout: 90_000 })
    await merchant.control('scenarios', { name: 'fiat-to-crypto', user_uuid: stranger, speed: 1_000 })
    await expect(steps.getByText('3 of 3 done')).toBeVisible({ timeout: 60_000 })
    await admin.reload()
    await expect(admin.getByRole('heading', { name: 'Needs attention', exact: true })).toBeVisible()
    await expect(steps).toHaveCount(0)
    await support.goto('/transactions')
    await expect(support.getByText('stranger@demo.test').first()).toBeVisible({ timeout: 60_000 })
  })

  await stepWithDeliveries(
    'support finds whom the delivery named by the number that the person then gets',
    async () => {
      await support.goto(`/users/${stranger}`)
      await support.getByLabel('Your customer number').fill('C-7007')
      await support.getByRole('button', { name: 'Save' }).click()
      await expect(support.getByRole('link', { name: 'C-7007' })).toBeVisible()
      await support.goto('/users')
      await support.getByRole('searchbox').first().fill('C-7007')
      await support.keyboard.press('Enter')
      await support.getByRole('link', { name: 'stranger@demo.test' }).click()
      await expect(support.getByRole('heading', { level: 1 })).toContainText('Sofia Stranger')
      expect(new URL(support.url()).pathname).toBe(`/users/${stranger}`)
    },
  )

  await test.step('support finds a person by the merchant’s own number', async () => {
    await support.goto('/users')
    await support.getByRole('searchbox').first().fill('C-0010')
    await support.keyboard.press('Enter')
    await support.getByRole('link', { name: 'person10@demo.test' }).click()
    await expect(support.getByRole('heading', { level: 1 })).toContainText('Person')
  })

  const path = `/users/${stranger}`
  await stepWithDeliveries('compliance reads the case that support only sees to exist', async () => {
    await merchant.control('scenarios', { name: 'aml-failed', user_uuid: stranger, speed: 1_000 })
    await compliance.goto(path)
    await expect(compliance.getByText('Check failed').first()).toBeVisible()
    // The server sends the status under its own name with the page. Later rendering does not add it.
    const sentTo = async (page: Page) => (await page.request.get(path)).text()
    expect(await sentTo(compliance)).toContain('FAILED')
    await support.goto(path)
    await expect(support.getByText('AML').first()).toBeVisible()
    expect(await sentTo(support)).not.toContain('FAILED')
  })

  await test.step('the agent leaves, and a second later nothing of theirs works', async () => {
    const asked = { data: { text: 'stranger@demo.test' }, headers: { origin: merchant.url } }
    const search = () => support.request.post('/api/search', asked)
    const form = { userUuid: stranger, customerNumber: 'C-7008' }
    const renumber = () => callAction(support.request, 'setCustomerNumberAction', form, merchant.url + path)
    expect((await search()).status()).toBe(200)
    // Without deliveries the dashboard does not know this person.
    if (secured) expect(await renumber()).toContain('"done"')
    const live = await openLive(support)
    await admin.goto('/team')
    await admin.getByRole('link', { name: 'Sam Support' }).click()
    await admin.getByRole('button', { name: 'Remove…' }).click()
    const dialog = admin.getByRole('alertdialog')
    await dialog.getByLabel('Reason', { exact: true }).fill('Left the company')
    await dialog.getByLabel(/To confirm, type/).fill('Sam Support')
    expect(live.ended()).toBe(false)
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
    await expect(dialog).toBeHidden()
    await support.waitForTimeout(1_000)
    expect(live.ended(), 'the stream that was open').toBe(true)
    expect((await search()).status()).toBe(401)
    expect(await renumber()).toContain('"signed-out"')
    for (const path of ['/api/events', '/api/transactions', '/api/live'])
      expect((await support.request.get(path)).status(), path).toBe(401)
    await support.goto('/transactions')
    await expect(support).toHaveURL(/\/sign-in/)
    merchant.provider.state.account = { sub: 'sam' }
    await support.getByRole('button', { name: 'Single sign-on' }).click()
    await expect(support.getByRole('alert').filter({ hasText: 'removed' })).toBeVisible()
    await expect(support).toHaveURL(/\/sign-in/)
  })
})

test('where the clocks differ, whoever signs in by wallet reads by how much', async ({ browser }) => {
  test.setTimeout(180_000)
  await merchant.control('clock/advance', { seconds: 10 * 86_400 })
  const page = await openBrowser(browser)
  await injectWallet(page, generatePrivateKey())
  await page.goto('/sign-in')
  // Rampart reads the service's clock from each answer, such as the one about a code.
  await callAction(
    page.request,
    'requestCodeAction',
    { email: 'stranger@demo.test' },
    `${merchant.url}/sign-in`,
  )
  await page.getByRole('button', { name: 'Test Wallet' }).click()
  await expect(page.getByText('The clocks differ by 10 days')).toBeVisible()
  await expect(page.getByText('the payment provider’s is ahead')).toBeVisible()
  await expectWhole(page, 'sign-in-clocks')
})

/** Each person has their own browser. */
async function openBrowser(browser: Browser): Promise<Page> {
  const page = await (await browser.newContext({ baseURL: merchant.url, ignoreHTTPSErrors: true })).newPage()
  page.setDefaultTimeout(30_000)
  return page
}

/** Some small builds of Chromium have no TLS and end themselves. No server needs to answer at the address. */
async function opensHttps(browser: Browser, url: string): Promise<boolean> {
  const page = await browser.newPage({ ignoreHTTPSErrors: true })
  await page.goto(url).catch(() => {})
  const lives = await page.evaluate(() => true).catch(() => false)
  await browser.close()
  return lives
}

/** The live stream belongs to the signed-in person, and only its end closes it. A page would open another stream. */
async function openLive(page: Page): Promise<{ readonly ended: () => boolean }> {
  const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
  const { get } = merchant.url.startsWith('https:') ? https : http
  const request = get(`${merchant.url}/api/live`, { headers: { cookie }, rejectUnauthorized: false })
  const [answer] = (await once(request, 'response')) as [http.IncomingMessage]
  expect(answer.statusCode).toBe(200)
  let ended = false
  answer.on('close', () => (ended = true)).on('error', () => {})
  answer.resume()
  return { ended: () => ended }
}

async function openLink(page: Page, link: string) {
  await page.goto(link)
  await page.getByRole('button', { name: 'Open the link' }).click()
}

/** The admin invites somebody on the page Team. The answer is the link to send. */
async function invite(admin: Page, name: string, role: string): Promise<string> {
  await admin.goto('/team')
  await admin.getByRole('button', { name: 'Invite…' }).click()
  const dialog = admin.getByRole('alertdialog')
  await dialog.getByLabel('Name', { exact: true }).fill(name)
  await dialog.getByLabel('Role').selectOption(role)
  await dialog.getByLabel('Reason', { exact: true }).fill('Joins the team')
  await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
  const link = await dialog.getByLabel('Invitation link').innerText()
  await dialog.getByRole('button', { name: 'Copy link' }).click()
  return link
}

/** The person opens an invitation and joins by single sign-on, with the account that the provider knows as `sub`. */
async function join(page: Page, { link, sub }: { readonly link: string; readonly sub: string }) {
  merchant.provider.state.account = { sub, email: `${sub}@demo.test` }
  await openLink(page, link)
  await page.getByRole('button', { name: 'Single sign-on' }).click()
  await page.waitForURL((url) => url.origin === merchant.url && !/^\/(set-up|signed-in)/.test(url.pathname))
}

/** Each of these new people has a number from the merchant. */
function csvOfPeople(length: number): string {
  const lines = Array.from({ length }, (_, n) => {
    const number = String(n).padStart(4, '0')
    return `person${n}@demo.test,Person,Number ${number},ES,C-${number}`
  })
  return ['email,first_name,last_name,country,customer_number', ...lines, ''].join('\n')
}
