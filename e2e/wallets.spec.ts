import { devices, type Page, type Route } from '@playwright/test'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { rampartUrl } from './addresses.ts'
import { createUserAtService } from './sandbox.ts'
import { expect, expectAccessible, expectComplaint, test } from './test.ts'
import { answerAtLast, injectWallet } from './wallet.ts'
import { agreeOnPhone, startRelay } from './wallet-connect.ts'

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

  await agreeOnPhone(page, await phone.newPage(), account)

  await expect(page.getByText('Phone Wallet')).toBeVisible()
  await page.getByRole('button', { name: 'Sign message' }).click()
  await expect(page).toHaveURL(/\/account$/)
  await expect(page.getByRole('main').getByText(email)).toBeVisible()
  await context.close()
  await phone.close()
})

test('WalletConnect opened again shows no code of the connection that expired', async ({ browser }) => {
  const context = await browser.newContext({ baseURL: rampartUrl })
  await startRelay(context)
  const page = await context.newPage()
  await page.clock.install()
  await page.goto('/sign-in')
  await page.getByRole('button', { name: 'WalletConnect' }).click()
  const code = page.getByRole('img', { name: 'QR code for your wallet' })
  await expect(code).toBeVisible()
  await page.clock.fastForward('06:00')
  await expect(code).toBeHidden({ timeout: 20_000 })
  const old = await page
    .getByRole('button', { name: 'WalletConnect' })
    .evaluate(async (button: HTMLElement) => {
      button.click()
      // React draws what follows from a click before the next task.
      await new Promise((resolve) => setTimeout(resolve))
      return document.querySelectorAll('svg[role=img]').length
    })
  expect(old).toBe(0)
  await expect(code).toBeVisible()
  await context.close()
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

/** The browser has two wallets, and the first keeps silent. */
const [silent, other] = ['Silent Wallet', 'Test Wallet']

test('a wallet that never answers is left by Cancel, or for another; what it says later changes nothing', async ({
  page,
}) => {
  await injectWallet(page, generatePrivateKey(), 'keeps silent', silent)
  const account = await injectWallet(page, generatePrivateKey(), 'signs in 64 bytes', other)
  const email = `${account.address.slice(2, 12).toLowerCase()}@demo.test`
  await createUserAtService(email, account.address)
  await page.goto('/sign-in')
  const choice = (name: string) => page.getByRole('button', { name })

  await test.step('by Cancel', async () => {
    await choice(silent).click()
    await expect(choice(silent)).toBeDisabled()
    await expect(choice(other)).toBeEnabled()
    await expectAccessible(page)
    await choice('Cancel').click()
    await expect(choice(silent)).toBeEnabled()
    await expect(choice('Cancel')).toHaveCount(0)
  })

  await test.step('for another', async () => {
    await choice(silent).click()
    await choice(other).click()
    await expect(page.getByRole('paragraph').filter({ hasText: 'Signing as' })).toContainText(other)
    await answerAtLast(page, silent)
    await expect(page.getByRole('paragraph').filter({ hasText: 'Signing as' })).toContainText(other)
    await choice('Sign message').click()
    await expect(page).toHaveURL(/\/account$/)
    await expect(page.getByRole('main').getByText(email)).toBeVisible()
  })
})

test('a wallet that answers after Cancel is not taken, and one that was chosen again stays chosen', async ({
  page,
}) => {
  await injectWallet(page, generatePrivateKey(), 'keeps silent', silent)
  const again = 'Second Silent'
  const account = await injectWallet(page, generatePrivateKey(), 'keeps silent', again)
  await createUserAtService(`${account.address.slice(2, 12).toLowerCase()}@demo.test`, account.address)
  await page.goto('/sign-in')
  const choice = (name: string) => page.getByRole('button', { name })
  await choice(silent).click()
  await choice('Cancel').click()
  await answerAtLast(page, silent)
  await expect(choice(silent)).toBeEnabled()
  await expect(page.getByRole('paragraph').filter({ hasText: 'Signing as' })).toHaveCount(0)
  // It answers both questions.
  await choice(again).click()
  await choice('Cancel').click()
  await choice(again).click()
  await answerAtLast(page, again)
  await expect(page.getByRole('paragraph').filter({ hasText: 'Signing as' })).toContainText(again)
  await choice('Sign message').click()
  await expect(page).toHaveURL(/\/account$/)
})

test('signing up, a wallet that never answers is left for another, and for none', async ({ page }) => {
  await injectWallet(page, generatePrivateKey(), 'keeps silent', silent)
  await injectWallet(page, generatePrivateKey(), 'signs in 64 bytes', other)
  await page.goto('/sign-up')
  const use = (name: string) => page.getByRole('button', { name: `Use ${name}` })
  await use(silent).click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await use(silent).click()
  await use(other).click()
  await expect(page.getByRole('button', { name: /^Sign with 0x/ })).toBeEnabled()
  await answerAtLast(page, silent)
  await page.getByRole('button', { name: /^Sign with 0x/ }).click()
  await expect(page.getByText(`signed in ${other}`)).toBeVisible()
})

/** A phone opens a wallet only directly from a tap, so nothing may be awaited in between. */
const askingForASignature = [
  {
    what: 'signing in',
    path: '/sign-in',
    choose: 'Test Wallet',
    sign: 'Sign message',
    signed: /^Signed$/,
  },
  {
    what: 'signing up',
    path: '/sign-up',
    choose: 'Use Test Wallet',
    sign: /^Sign with 0x/,
    signed: 'signed in Test Wallet',
  },
]
for (const { what, path, choose, sign, signed } of askingForASignature) {
  test(`${what}, the message is ready before the tap, which waits for nothing but the wallet`, async ({
    page,
  }) => {
    const { address } = await injectWallet(page, generatePrivateKey())
    await createUserAtService(`${address.slice(2, 12).toLowerCase()}@demo.test`, address)
    const requests = await holdRequests(page)
    await page.goto(path)
    await expect(page.getByRole('button', { name: choose })).toBeEnabled()

    requests.hold()
    await page.getByRole('button', { name: choose }).click()
    const busy = page.getByRole('button', { name: 'Making a message…' })
    await expect(busy).toBeDisabled()
    await expect(busy).toHaveAttribute('aria-busy', 'true')
    await requests.letGo()
    await expect(page.getByRole('button', { name: sign })).toBeEnabled()

    requests.hold()
    await page.getByRole('button', { name: sign }).click()
    await expect(page.getByText(signed)).toBeVisible()
    await requests.letGo()
    if (path === '/sign-in') await expect(page).toHaveURL(/\/account$/)
  })
}

/** The function holds the page's requests to the server, from `hold` until `letGo`. */
async function holdRequests(page: Page) {
  let holding = false
  let held: Route[] = []
  await page.route('**/*', (route) => (holding ? void held.push(route) : route.continue()))
  return {
    hold: () => {
      holding = true
    },
    letGo: async () => {
      holding = false
      const kept = held
      held = []
      await Promise.all(kept.map((route) => route.continue()))
    },
  }
}
