import type { Page } from '@playwright/test'
import { stateOf } from './people.ts'
import { newestCode, sendEvent, userUuidOf } from './sandbox.ts'
import { expect, expectComplaint, expectLive, test } from './test.ts'

// A browser's translation puts each text into two elements, and repeats that whenever the text changes. Some browsers move
// the text, and some replace it.
const ways = ['moved', 'replaced'] as const

/** `npm test` walks each way once or twice, and the proof of slow tests the rest. */
const only = (way: string, usual: string) => (way === usual ? {} : { tag: '@slow' })

function translate(way: string) {
  const seen = new WeakSet<Node>()
  const wrap = (text: Node) => {
    const { parentElement } = text
    if (!text.nodeValue?.trim() || !parentElement?.closest('body')) return
    if (parentElement.closest('font, script, style, textarea, title')) return
    const [outer, inner] = [document.createElement('font'), document.createElement('font')]
    outer.append(inner)
    text.parentNode?.replaceChild(outer, text)
    inner.append(way === 'moved' ? text : document.createTextNode(text.nodeValue))
    seen.add(text)
  }
  const wrapAll = (root: Node) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    const texts: Node[] = root instanceof Text ? [root] : []
    while (walker.nextNode()) texts.push(walker.currentNode)
    texts.forEach(wrap)
  }
  new MutationObserver((records) => {
    for (const { addedNodes } of records) for (const node of addedNodes) if (node.isConnected) wrapAll(node)
  }).observe(document.body, { childList: true, subtree: true })
  wrapAll(document.body)
}

const broken = (page: Page) => page.getByText('could not be shown')

for (const way of ways)
  test.describe(`while texts are ${way}`, () => {
    test('somebody signs up, mistypes a code and signs in', only(way, 'moved'), async ({ page }) => {
      expectComplaint(page, 401, '/api/auth/callback/code')
      const email = `translated${crypto.randomUUID().slice(0, 8)}@demo.test`
      const since = new Date()
      await page.goto('/sign-up')
      await page.getByLabel('E-mail').fill(email)
      await page.evaluate(translate, way)
      await page.getByLabel('First name').fill('Reads')
      await page.getByLabel('Last name').fill('Elsewhere')
      await page.getByLabel('Country').selectOption('ES')
      await page.getByRole('button', { name: 'Create account' }).click()
      const code = page.getByLabel('Code', { exact: true })
      await expect(code).toBeVisible()
      // The countdown to the next code continues.
      const countdown = page.getByText(/ in \d+ s/).first()
      const before = await countdown.textContent()
      await expect(countdown).not.toHaveText(before ?? '')
      await code.fill('000000')
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await expect(page.getByRole('alert').filter({ hasText: 'This code was not accepted.' })).toBeVisible()
      await expect(broken(page)).toHaveCount(0)
      await code.fill((await newestCode(email, since)) ?? '')
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await expect(page).toHaveURL(/\/account/)
      await expect(broken(page)).toHaveCount(0)
    })

    test.describe('for staff', () => {
      test.use({ storageState: stateOf('admin@demo.test') })

      test('a transaction shows its new step and amount', only(way, 'replaced'), async ({ page }) => {
        const transactionUuid = crypto.randomUUID()
        const uuid = await userUuidOf('ana@demo.test')
        const data = {
          transactionUuid,
          direction: 'fiatToCrypto',
          currencyFiat: 'EUR',
          currencyCrypto: 'USDC',
        }
        const send = (subType: string, more: object) =>
          sendEvent({ type: 'fiatToCrypto', subType, uuid, data: { ...data, ...more } })
        await send('PENDING', { amountFiat: 255.86 })
        const path = `/transactions/${transactionUuid}`
        await expect.poll(async () => (await page.request.get(path)).status()).toBe(200)
        await page.goto(path)
        await expectLive(page)
        await page.evaluate(translate, way)
        await send('IN_PROGRESS', { amountFiat: 255.87 })
        await expect(page.getByRole('main')).toContainText('Fiat received, processing')
        await expect(page.getByRole('main')).toContainText('255.87')
        await send('SUCCESS', { amountFiat: 255.87, amountCrypto: 260 })
        await expect(page.getByRole('heading', { level: 1 })).toContainText('became')
        await expect(page.getByRole('heading', { level: 1 })).not.toContainText('processing')
        await expect(broken(page)).toHaveCount(0)
      })

      test('lists take in what is new, filters and searches', only(way, 'moved'), async ({ page }) => {
        await page.goto('/timeline')
        await expectLive(page)
        await page.evaluate(translate, way)
        const uuid = crypto.randomUUID()
        await sendEvent({ type: 'KYC', subType: 'x', uuid, data: {} })
        await expect(page.getByRole('listitem').filter({ hasText: uuid.slice(0, 8) })).toHaveCount(1)
        await page.goto('/transactions')
        await expectLive(page)
        await page.evaluate(translate, way)
        await page
          .getByRole('button', { name: /More filters|Filters/ })
          .first()
          .click()
        await page.getByRole('searchbox').first().fill('nobody has this')
        await page.keyboard.press('Enter')
        await expect(page.getByRole('main')).toContainText(/nothing|Nothing|No /)
        await expect(broken(page)).toHaveCount(0)
      })
    })
  })
