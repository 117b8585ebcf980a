import type { Browser, Page } from '@playwright/test'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { rampartUrl, sandboxUrl } from './addresses.ts'
import { createUserAtService, newestCode } from './sandbox.ts'
import { expect, expectAccessible, expectComplaint, signInByCode, signOut, test } from './test.ts'
import { injectWallet } from './wallet.ts'
import { agreeOnPhone, startRelay } from './wallet-connect.ts'

/** A new account must prove both its e-mail address and its wallet. */

const newEmail = () => `new${crypto.randomUUID().slice(0, 8)}@demo.test`

async function fillForm(page: Page, email: string) {
  await page.goto('/sign-up')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('First name').fill('Wallet')
  await page.getByLabel('Last name').fill('Tester')
  await page.getByLabel('Country').selectOption('ES')
}

async function giveWallet(page: Page) {
  await page.getByRole('button', { name: 'Use Test Wallet' }).click()
  await page.getByRole('button', { name: /^Sign with 0x/ }).click()
  await expect(page.getByText('signed in Test Wallet')).toBeVisible()
}

async function createAccount(page: Page, email: string) {
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByRole('heading', { name: 'Almost there: confirm your e-mail' })).toBeVisible()
  await expect(page.getByText(`We sent a code to ${email}`)).toBeVisible()
  await expect(page.getByText('may already have an account with this address or wallet')).toBeVisible()
}

async function typeCode(page: Page, code: string | null) {
  await page.getByLabel('Code', { exact: true }).fill(code ?? '')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

async function signInByWallet(page: Page) {
  await page.goto('/sign-in')
  await page.getByRole('button', { name: 'Test Wallet' }).click()
  await page.getByRole('button', { name: 'Sign message' }).click()
}

/** The browser belongs to somebody else. */
async function openOther(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ baseURL: rampartUrl, timezoneId: 'UTC', locale: 'en-GB' })
  return context.newPage()
}

test('signs up with an injected wallet whose key signs for real, by its code, then in by the wallet', async ({
  page,
}) => {
  const [email, since] = [newEmail(), new Date()]
  const account = await injectWallet(page, generatePrivateKey())

  await test.step('creates an account, with a signature by the wallet', async () => {
    await fillForm(page, email)
    await giveWallet(page)
    await expectAccessible(page)
    await createAccount(page, email)
    await expectAccessible(page)
  })

  await test.step('types the code that was sent', async () => {
    await typeCode(page, await newestCode(email, since))
    await expect(page).toHaveURL(/\/account$/)
    await expect(page.getByRole('main').getByText(email)).toBeVisible()
    await expect(page.getByText('Is this wallet yours?')).toHaveCount(0)
    await signOut(page)
  })

  await test.step('reads what the wallet will warn of, and signs', async () => {
    await page.getByRole('button', { name: 'Test Wallet' }).click()
    await expect(page.getByText(/Your wallet will warn that this request is for/)).toContainText(
      new URL(sandboxUrl).host,
    )
    await page.getByText('See what you sign').click()
    await expect(page.locator('pre')).toContainText(
      `${new URL(sandboxUrl).host} wants you to sign in with your Ethereum account:`,
    )
    await expect(page.locator('pre')).toContainText(account.address)
    await page.getByRole('button', { name: 'Sign message' }).click()
    await expect(page).toHaveURL(/\/account$/)
  })

  await test.step('a session survives a reload and ends on the server with the sign-out', async () => {
    await page.reload()
    await expect(page).toHaveURL(/\/account$/)
    const cookies = await page.context().cookies()
    await signOut(page)
    await page.context().addCookies(cookies)
    await page.goto('/account')
    await expect(page).toHaveURL(/\/sign-in/)
  })
})

test('whoever mistyped the address gives another one in the same form, and signs in by its code', async ({
  page,
}) => {
  const [mistyped, email] = [newEmail(), newEmail()]
  await injectWallet(page, generatePrivateKey())
  await fillForm(page, mistyped)
  await giveWallet(page)
  await createAccount(page, mistyped)
  const since = new Date()
  await page.getByRole('button', { name: 'Use another address' }).click()
  await expect(page.getByLabel('E-mail')).toBeFocused()
  await expect(page.getByLabel('E-mail')).toHaveValue('')
  await expect(page.getByLabel('First name')).toHaveValue('Wallet')
  await expect(page.getByLabel('Last name')).toHaveValue('Tester')
  await expect(page.getByLabel('Country')).toHaveValue('ES')
  await page.getByLabel('E-mail').fill(email)
  await createAccount(page, email)
  await typeCode(page, await newestCode(email, since))
  await expect(page).toHaveURL(/\/account$/)
  await expect(page.getByRole('main').getByText(email)).toBeVisible()
})

test('signs up with a wallet elsewhere, by WalletConnect, which is loaded on click', async ({ browser }) => {
  const page = await openOther(browser)
  const phone = await openOther(browser)
  await startRelay(page.context(), phone.context())
  const scripts: string[] = []
  page.on('response', (answer) => {
    if (answer.request().resourceType() === 'script') scripts.push(answer.url())
  })
  const account = privateKeyToAccount(generatePrivateKey())
  const [email, since] = [newEmail(), new Date()]
  await fillForm(page, email)
  const before = scripts.length
  await page.getByRole('button', { name: 'Use WalletConnect' }).click()
  await expect(page.getByRole('img', { name: 'QR code for your wallet' })).toBeVisible()
  expect(scripts.length).toBeGreaterThan(before)
  await expect(page.getByText('No wallet was found in this browser')).toHaveCount(0)
  await expectAccessible(page)

  await agreeOnPhone(page, phone, account)
  await page.getByRole('button', { name: /^Sign with 0x/ }).click()
  await expect(page.getByText('signed in Phone Wallet')).toBeVisible()
  await createAccount(page, email)
  await typeCode(page, await newestCode(email, since))
  await expect(page).toHaveURL(/\/account$/)
  await expect(page.getByText('Is this wallet yours?')).toHaveCount(0)
  await expect(page.getByRole('button', { name: `Copy ${account.address}` })).toBeVisible()
  await page.context().close()
  await phone.context().close()
})

test('whoever has an account that is not known here reads the same, and what to do', {
  tag: '@slow',
}, async ({ page }) => {
  const [email, since] = [newEmail(), new Date()]
  await createUserAtService(email, privateKeyToAccount(generatePrivateKey()).address)
  await fillForm(page, email)
  await createAccount(page, email)
  expect(await newestCode(email, since)).toBeNull()
})

test('whoever signs up with somebody else’s address stays out, and that person is told of the wallet', async ({
  page,
  browser,
}) => {
  const email = newEmail()
  await injectWallet(page, generatePrivateKey())
  expectComplaint(page, 401, '/api/auth/callback/wallet')

  await test.step('the wallet does not sign in', async () => {
    await fillForm(page, email)
    await giveWallet(page)
    await createAccount(page, email)
    await signInByWallet(page)
    await expect(page.getByText('This wallet cannot sign in here.')).toBeVisible()
  })

  const theirs = await openOther(browser)
  await test.step('the owner of the address decides', async () => {
    await signInByCode(theirs, email)
    await expect(theirs.getByText('Is this wallet yours?')).toBeVisible()
    await expectAccessible(theirs)
    await theirs.getByRole('button', { name: 'Not mine: block it' }).click()
    await expect(theirs.getByText('Is this wallet yours?')).toHaveCount(0)
  })

  await test.step('it never does', async () => {
    await signInByWallet(page)
    await expect(page.getByText('This wallet cannot sign in here.')).toBeVisible()
  })
  await theirs.context().close()
})
