import type { Page } from '@playwright/test'
import { inDatabase } from './database.ts'
import { stateOf } from './people.ts'
import { expect, expectAccessible, expectLive, test } from './test.ts'

test.use({ storageState: stateOf('support@demo.test') })

/** The transaction has been on hold for years, so it waits longest of all. */
async function addHeld(): Promise<string> {
  const uuid = crypto.randomUUID()
  await inDatabase(
    `INSERT INTO transaction (subject_id, uuid, direction, step, reason, currency_fiat, amount_fiat, flags, started_at, last_move_at)
     VALUES ('transaction:' || $1::text, $1, 'fiatToCrypto', 'ON_HOLD', 'ON_HOLD_KYC', 'EUR', 11.11, '{}', now() - interval '3 years', now() - interval '3 years')`,
    [uuid],
  )
  return uuid
}

const remove = (uuid: string) => inDatabase('DELETE FROM transaction WHERE uuid = $1', [uuid])

const rowOf = (page: Page, uuid: string) =>
  page.getByRole('listitem').filter({ has: page.locator(`a[href="/transactions/${uuid}"]`) })

test('what needs attention is snoozed with a note, is read under Snoozed, and comes back', async ({
  page,
}) => {
  const [uuid, other] = [await addHeld(), await addHeld()]
  const note = `Waits for papers of ${uuid.slice(0, 8)}`
  await page.goto('/overview?look=held')
  const held = page
    .getByRole('navigation', { name: 'What needs attention' })
    .getByRole('link', { name: /^On hold/ })
  await expect(held).toHaveAttribute('aria-current', 'true')
  await rowOf(page, uuid).getByRole('button', { name: 'Snooze…' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Snooze this hold?' })
  await dialog.getByRole('button', { name: 'Snooze', exact: true }).click()
  await expect(dialog.getByText('Enter a reason')).toBeVisible()
  await dialog.getByRole('textbox').fill(note)
  await dialog.getByRole('button', { name: 'Snooze', exact: true }).click()
  await expect(dialog).toBeHidden()
  await expect(rowOf(page, uuid)).toHaveCount(0)
  await expect(page.locator('main [data-row]:focus'), 'the focus is at another row').toHaveCount(1)
  await page.getByRole('link', { name: 'Snoozed', exact: true }).click()
  await expect(page).toHaveURL(/look=muted/)
  const snoozed = page
    .getByRole('region', { name: 'Snoozed' })
    .getByRole('listitem')
    .filter({ hasText: note })
  await expect(snoozed).toContainText('Demo Support')
  await expectAccessible(page)
  await snoozed.getByRole('button', { name: 'End snooze' }).click()
  await expect(snoozed).toHaveCount(0)
  await expect(page.locator('main :focus'), 'the focus is at another row, or at the heading').toHaveCount(1)
  await page.goto('/overview?look=held')
  await expect(rowOf(page, uuid)).toHaveCount(1)
  for (const each of [uuid, other]) await remove(each)
})

test('what is typed in an open dialog stays when its row is gone, and the page follows once it is closed', async ({
  page,
}) => {
  const uuid = await addHeld()
  await page.goto('/overview?look=held')
  await expectLive(page)
  await rowOf(page, uuid).getByRole('button', { name: 'Snooze…' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Snooze this hold?' })
  await dialog.getByRole('textbox').fill('Half a sentence')
  await remove(uuid)
  // The page refreshes itself as soon as it becomes visible.
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await page.waitForTimeout(4_000)
  await expect(dialog.getByRole('textbox')).toHaveValue('Half a sentence')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(rowOf(page, uuid)).toHaveCount(0)
})

test('the figures of a week stand beside those of the week before, and what was chosen stays chosen', async ({
  page,
}) => {
  await page.goto('/overview?look=failed')
  const figures = page.getByRole('region', { name: 'Payments' })
  await expect(figures.getByRole('link', { name: '24 hours' })).toHaveAttribute('aria-current', 'true')
  await figures.getByRole('link', { name: '7 days' }).click()
  await expect(page).toHaveURL(/\/overview\?(look=failed&period=week|period=week&look=failed)$/)
  await expect(figures.getByRole('link', { name: '7 days' })).toHaveAttribute('aria-current', 'true')
  await expect(figures).toContainText('7 days before')
  await page.reload()
  await expect(figures.getByRole('link', { name: '7 days' })).toHaveAttribute('aria-current', 'true')
})

test('an address with a kind that there is none of shows everything, with buttons that say what they are about', async ({
  page,
}) => {
  await page.goto('/overview?look=nonsense&period=year')
  await expect(page.getByRole('heading', { name: 'Needs attention' })).toBeVisible()
  await expect(
    page.getByRole('region', { name: 'Payments' }).getByRole('link', { name: '24 hours' }),
  ).toHaveAttribute('aria-current', 'true')
  const snoozes = page.getByRole('button', { name: /^Snooze… / })
  await expect(snoozes.nth(1)).toBeVisible()
  const names = await snoozes.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? ''))
  expect(names.filter((name) => !/^Snooze… \S.{10,}/.test(name))).toEqual([])
  expect(new Set(names.map((name) => name.replace(/^Snooze…/, ''))).size).toBeGreaterThan(1)
})

test.describe('an admin', () => {
  test.use({ storageState: stateOf('admin@demo.test') })

  test('sees a dialog in its size from the beginning, types as soon as it may, and closes it with Escape', async ({
    page,
  }) => {
    await page.goto('/team')
    // The dialog asks the server whether the sign-in is fresh.
    let answer = () => {}
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route('/team', async (route) => {
      if (route.request().method() === 'POST') await held
      await route.continue()
    })
    const dialog = page.getByRole('alertdialog')
    await expect(async () => {
      await page.getByRole('button', { name: 'Invite…' }).click({ timeout: 2_000 })
      await expect(dialog).toBeVisible({ timeout: 2_000 })
    }).toPass()
    const before = await dialog.boundingBox()
    await expect(dialog.getByLabel('Name')).toBeHidden()
    answer()
    await expect(dialog.getByLabel('Name')).toBeFocused()
    expect(await dialog.boundingBox()).toEqual(before)
    const name = dialog.getByLabel('Name')
    await name.fill('佐藤')
    // This Escape belongs to an input method.
    await name.dispatchEvent('keydown', { key: 'Escape', isComposing: true })
    await expect(name).toHaveValue('佐藤')
    await name.fill('')
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
  })
})
