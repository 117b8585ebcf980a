import type { Page } from '@playwright/test'
import { inDatabase } from './database.ts'
import { stateOf } from './people.ts'
import { playScenario, userUuidOf } from './sandbox.ts'
import { expect, expectAccessible, expectComplaint, test } from './test.ts'

test.use({ storageState: stateOf('admin@demo.test') })

test('a list goes by the order that its chip says, page after page', async ({ page }) => {
  await page.goto('/transactions')
  await page.getByLabel('Order').selectOption('Largest fiat amount')
  await expect(page).toHaveURL(/sort=amount/)
  // The rows of the order before stay until the others are there.
  await expect.poll(async () => descending(await amounts(page))).toBe(true)
  const first = await amounts(page)
  expect(first.length).toBeGreaterThan(10)
  await page.getByRole('button', { name: 'Older' }).click()
  await expect(page).toHaveURL(/cursor=/)
  await page.reload()
  await expect(page.getByLabel('Order')).toHaveValue('amount')
  const both = [...first, ...(await amounts(page))]
  expect(descending(both)).toBe(true)
})

test('a place in a list of another order is refused in words, and the top is one click away', async ({
  page,
}) => {
  await page.goto('/transactions?sort=amount')
  await page.getByRole('button', { name: 'Older' }).click()
  await page.waitForURL(/cursor=/)
  expectComplaint(page, '400')
  await page.goto(page.url().replace('sort=amount', 'sort=moved'))
  await expect(page.getByRole('alert').filter({ hasText: 'This address cannot be read' })).toBeVisible()
  await page.getByRole('button', { name: 'Begin at the top' }).click()
  await expect(page).not.toHaveURL(/cursor=/)
  await expect(page).toHaveURL(/sort=moved/)
  await expect(page.getByText('This address cannot be read')).toBeHidden()
  await expect(rows(page).first()).toBeVisible()
})

test('a transaction is found by whatever of it is pasted', async ({ page }) => {
  const uuid = await playScenario('fiat-to-crypto', await userUuidOf('ben@demo.test'), 1_000)
  await page.goto(`/transactions?q=${uuid}`)
  const box = page.getByRole('searchbox', { name: 'Search transactions' })
  for (const text of [
    uuid,
    ` ${uuid.toUpperCase()}\t`,
    `“${uuid}”`,
    `https://tickets.example/4711?transaction=${uuid}&tab=2`,
    uuid.slice(0, 13),
    uuid.slice(-13),
    `${uuid.slice(0, 8)}…${uuid.slice(-5)}`,
  ]) {
    await box.fill(text)
    await expect(page.getByText(/1 match, press/), text).toBeVisible()
    await expect(rows(page)).toHaveAttribute('href', `/transactions/${uuid}`)
  }
  await page.goto(`/go/${uuid}`)
  await expect(page).toHaveURL(`/transactions/${uuid}`)
})

test('an address with a stray per cent sign names what it says', async ({ page }) => {
  await page.goto('/go/%zz-9')
  await expect(page).toHaveURL(/\/transactions\?q=/)
  await expect(page.getByRole('heading', { name: 'Nothing here is named “%zz-9”' })).toBeVisible()
  expectComplaint(page, '404')
  expect((await page.goto('/transactions/%zz'))?.status()).toBe(404)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
})

test('what could not be read stands on the overview until it is tried again', async ({ page }) => {
  await inDatabase(
    `INSERT INTO delivery_pending (delivery_id, set_aside_at, error)
     SELECT id, now(), 'A rule of another day' FROM delivery ORDER BY seq LIMIT 2`,
  )
  await page.goto('/overview')
  const note = page.getByRole('note').filter({ hasText: '2 deliveries are kept but not on the timeline.' })
  await expect(note.getByText('A rule of another day')).toHaveCount(2)
  await note.getByText('What it says').first().click()
  await expect(note.locator('pre').first()).toContainText('"type"')
  await expectAccessible(page)
  await note.getByRole('button', { name: 'Try again…' }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByLabel('Why').fill('the rule was mended')
  await dialog.getByRole('button', { name: 'Try again', exact: true }).click()
  await expect(note).toBeHidden()
  await expect(page.getByText('The timeline is behind.')).toBeHidden()
})

/** The rows of a list, as links, in whichever shape this width has them. */
const rows = (page: Page) => page.locator('main a[data-row]:visible')

/** The fiat amount of each row. */
async function amounts(page: Page): Promise<number[]> {
  await expect(rows(page).first()).toBeVisible()
  const texts = await page.locator('main tbody tr:visible').allInnerTexts()
  return texts.flatMap((text) => /[€£$]([\d,.]+)/.exec(text)?.[1]?.replaceAll(',', '') ?? []).map(Number)
}

const descending = (figures: readonly number[]) =>
  figures.every((figure, index) => index === 0 || figure <= (figures[index - 1] ?? figure))
