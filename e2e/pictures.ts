import path from 'node:path'
import type { Page } from '@playwright/test'
import { sandboxUrl } from './addresses.ts'
import { inDatabase } from './database.ts'
import { playScenario, userUuidOf } from './sandbox.ts'
import { expect, signInByCode, test } from './test.ts'

const folder = path.join(import.meta.dirname, '../docs/images')
const wide = { width: 1440, height: 900 }
const phone = { width: 390, height: 844 }

test('the README’s pictures', async ({ page }) => {
  await page.setViewportSize(wide)
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await page.goto('/sign-in')
  await take(page, 'sign-in-light')

  const mixedUp = await playScenario('out-of-order', await userUuidOf('ben@demo.test'), 10)
  await signInByCode(page, 'admin@demo.test')
  await page.goto('/overview')
  await take(page, 'overview-light')
  await page.goto('/transactions')
  await take(page, 'transactions-light')
  await page.goto('/endpoints')
  await take(page, 'endpoints-light')

  const held = `/transactions/${await findHeldAndDone()}`
  await page.goto(held)
  await take(page, 'transaction-light')
  await page.setViewportSize(phone)
  await take(page, 'transaction-phone')

  await page.setViewportSize(wide)
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await page.goto(`/transactions/${mixedUp}`)
  await expect(page.getByRole('heading', { level: 1 })).toContainText('became', { timeout: 60_000 })
  await take(page, 'transaction-dark')
  await page.goto('/timeline')
  await take(page, 'timeline-dark')

  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await page.goto(`${sandboxUrl}/`)
  await page.getByLabel('Pace').selectOption('0')
  await page.getByRole('button', { name: 'Play: Success (fiat-to-crypto)' }).click()
  await expect(page.getByRole('status')).toContainText('4 of 4 delivered', { timeout: 30_000 })
  await take(page, 'console-light')
})

/** The picture waits until late parts of the page have arrived. */
async function take(page: Page, name: string) {
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.waitForTimeout(1_500)
  await page.screenshot({ path: path.join(folder, `${name}.png`) })
}

/** The function finds the demo's latest transaction that was held once and then continued. */
async function findHeldAndDone(): Promise<string> {
  const [row] = await inDatabase(
    `SELECT t.uuid FROM transaction t JOIN event e ON e.subject_id = t.subject_id AND e.sub_type = 'ON_HOLD'
     WHERE t.step = 'SUCCESS' AND t.direction = 'fiatToCrypto' ORDER BY t.started_at DESC LIMIT 1`,
  )
  return (row as { uuid: string }).uuid
}
