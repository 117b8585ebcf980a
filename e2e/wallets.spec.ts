import { devices } from '@playwright/test'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { rampartUrl } from './addresses.ts'
import { createUserAtService } from './sandbox.ts'
import { expect, expectAccessible, expectComplaint, test } from './test.ts'
import { injectWallet } from './wallet.ts'
import { agreeInWallet, startRelay } from './wallet-connect.ts'

test('on a phone without a wallet the page opens in wallets’ apps, and the e-mail code comes first', async ({
  browser,
}) => {
  const context = await browser.newContext({ ...devices['Pixel 7'], baseURL: rampartUrl })
  const page = await context.newPage()
  await page.goto('/sign-in?next=%2Faccount')
  const links = page.getByRole('link', { name: /^Open in / })
  await expect(links).toHaveText(['Open in MetaMask', 'Open in Coinbase Wallet', 'Open in Trust Wallet'])
  const here = `${rampartUrl}/sign-in?next=%2Faccount`
  expect(await links.first().getAttribute('href')).toBe(
    `https://link.metamask.io/dapp/${here.replace('http://', '')}`,
  )
  expect(new URL((await links.last().getAttribute('href')) ?? '').searchParams.get('url')).toBe(here)
  const titles = page.getByRole('heading', { level: 2 })
  await expect(titles.first()).toHaveText('E-mail code')
  await expectAccessible(page)
  await context.close()
})

test('WalletConnect is loaded on click, and a wallet elsewhere signs in', async ({ browser }) => {
  const [context, phone] = [
    await browser.newContext({ baseURL: rampartUrl }),
    await browser.newContext({ baseURL: rampartUrl }),
  ]
  await startRelay(context, phone)
  const page = await context.newPage()
  const loaded: string[] = []
  page.on('response', (answer) => {
    if (answer.request().resourceType() === 'script') loaded.push(answer.url())
  })
  const account = privateKeyToAccount(generatePrivateKey())
  const email = `${account.address.slice(2, 12).toLowerCase()}@demo.test`
  await createUserAtService(email, account.address)

  await page.goto('/sign-in')
  await expect(page.getByRole('button', { name: 'WalletConnect' })).toBeEnabled()
  const before = loaded.length
  await page.getByRole('button', { name: 'WalletConnect' }).click()
  await expect(page.getByRole('img', { name: 'QR code for your wallet' })).toBeVisible()
  expect(loaded.length).toBeGreaterThan(before)
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Copy the connection' }).click()
  const uri = await page.evaluate(() => navigator.clipboard.readText())
  expect(uri).toMatch(/^wc:/)
  await agreeInWallet(await phone.newPage(), account, uri)

  await expect(page.getByText('Phone Wallet')).toBeVisible()
  await page.getByRole('button', { name: 'Sign message' }).click()
  await expect(page).toHaveURL(/\/account$/)
  await expect(page.getByRole('main').getByText(email)).toBeVisible()
  await context.close()
  await phone.close()
})

test('a smart account is told what it is, and where to go on', async ({ page }) => {
  expectComplaint(page, 401, '/api/auth/callback/wallet')
  await injectWallet(page, generatePrivateKey(), 'signs as a smart account')
  await page.goto('/sign-in')
  await page.getByRole('button', { name: 'Test Wallet' }).click()
  await page.getByRole('button', { name: 'Sign message' }).click()
  await expect(page.getByText('This wallet is a smart account.')).toBeVisible()
  await page.getByRole('button', { name: 'Use an e-mail code' }).click()
  await expect(page.getByLabel('E-mail', { exact: true })).toBeFocused()
})
