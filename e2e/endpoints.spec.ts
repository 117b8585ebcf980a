import type { Page } from '@playwright/test'
import { stateOf } from './people.ts'
import { strike } from './sandbox.ts'
import { expect, test } from './test.ts'

test.use({ storageState: stateOf('admin@demo.test') })

// One after the other: the answer that is dropped must not be another test's.
test.describe.configure({ mode: 'default' })

const why = 'a test wants it'

test('takes over an endpoint whose secret was lost on the way, and deletes it', async ({ page }) => {
  await page.goto('/endpoints/new')
  await page.getByText('This dashboard', { exact: true }).click()
  await page.getByLabel('Description').fill('Lost and found')
  await strike({ kind: 'drop_answer', method: 'POST', path: '/merchant/webhook-endpoints', next: 1 })
  await page.getByRole('button', { name: 'Create endpoint' }).click()
  await expect(page.getByText('The endpoint may have been created all the same.')).toBeVisible()

  await page.goto('/endpoints')
  await page.getByRole('link', { name: 'Lost and found' }).click()
  await page.waitForURL(/\/endpoints\/[0-9a-f-]{36}$/)
  await expect(async () => {
    await page.reload()
    await expect(page.getByText('The secret of this endpoint was lost.')).toBeVisible({ timeout: 2_000 })
  }).toPass({ timeout: 30_000 })
  await act(page, 'Take over')
  await expect(page.getByText('The secret of this endpoint was lost.')).toBeHidden()
  await expect(page.getByText('In use; only its digest is kept here')).toBeVisible()

  await page.getByRole('button', { name: 'Delete…' }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByLabel('Why').fill(why)
  await expect(dialog.getByRole('button', { name: 'Delete' })).toBeDisabled()
  await dialog.getByLabel('To confirm').fill('Lost and found')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(page).toHaveURL(/\/endpoints$/)
  await expect(page.getByRole('link', { name: 'Rampart (this dashboard)' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Lost and found' })).toHaveCount(0)
})

test('replaces an endpoint elsewhere with overlap, and says where that stands', async ({ page }) => {
  await page.goto('/endpoints/new')
  await page.getByText('Another address', { exact: true }).click()
  await page.getByLabel('URL', { exact: true }).fill('http://localhost:9/ledger')
  await page.getByLabel('Description').fill('Ledger backend')
  await page.getByRole('button', { name: 'Create endpoint' }).click()
  const secret = page.getByLabel('Signing secret')
  const first = await secret.innerText()
  await page.getByRole('link', { name: 'Go to the endpoint' }).click()
  await act(page, 'It is stored')
  await expect(page.getByText('Is its secret stored where it belongs?')).toBeHidden()

  await act(page, 'Replace')
  await expect(page.getByText('The second endpoint was made')).toBeVisible()
  // However the page goes on meanwhile, it does not take the secret away.
  await page.waitForTimeout(1_500)
  expect(await secret.innerText()).not.toBe(first)
  await page.getByRole('link', { name: 'the page of the second endpoint' }).click()
  await expect(page.getByText('This endpoint is to replace another one.')).toBeVisible()
  await act(page, 'It is deployed')
  await expect(page.getByText('This endpoint is to replace another one.')).toBeHidden()
  await page.goto('/endpoints')
  await expect(page.getByRole('link', { name: 'Ledger backend' })).toHaveCount(1)
})

/** Opens a deed's dialog, says why where that is asked, and does it. */
async function act(page: Page, label: string) {
  await page.getByRole('button', { name: `${label}…` }).click()
  const dialog = page.getByRole('alertdialog')
  await expect(dialog.getByRole('button', { name: label, exact: true })).toBeVisible()
  const reason = dialog.getByLabel('Why')
  if (await reason.isVisible()) await reason.fill(why)
  await dialog.getByRole('button', { name: label, exact: true }).click()
}
