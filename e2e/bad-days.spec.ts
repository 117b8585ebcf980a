import { stateOf } from './people.ts'
import { expect, expectLive, expectWhole, joinTheTeam, test } from './test.ts'

/** Days on which something is slow, gone or changed by somebody else: each has words, and a way on. */

test.describe(() => {
  test.use({ storageState: stateOf('support@demo.test') })

  test('a page that is late is said to be on its way, and comes', async ({ page }) => {
    await page.goto('/timeline')
    await expectLive(page)
    const answer = Promise.withResolvers<void>()
    await page.route(/\/accounts\?.*_rsc=/, async (route) => {
      await answer.promise
      await route.continue()
    })
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Accounts' }).click()
    const words = page.getByText('The next page takes longer than usual.')
    await expect(words).toBeVisible()
    await expectWhole(page, 'late-page', [1440])
    answer.resolve()
    await expect(page.getByRole('heading', { level: 1, name: 'Accounts' })).toBeVisible()
    await expect(words).toBeHidden()
  })

  test('without a network the page stays, and says so until the network is back', async ({ page }) => {
    await page.goto('/timeline')
    await page.evaluate(() =>
      Object.defineProperty(navigator, 'onLine', { configurable: true, get: () => false }),
    )
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Accounts' }).click()
    const words = page.getByText('There is no network, so this page stays.')
    await expect(words).toBeVisible()
    await expect(page).toHaveURL(/\/timeline$/)
    await page.evaluate(
      () => Reflect.deleteProperty(navigator, 'onLine') && dispatchEvent(new Event('online')),
    )
    await expect(words).toBeHidden()
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Accounts' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Accounts' })).toBeVisible()
  })
})

test('a dialog begins at what must be filled in, and Escape closes what is open', async ({ page }) => {
  await joinTheTeam(page, 'Focused Admin')
  await page.goto('/team')
  await page.getByRole('button', { name: 'Invite…' }).click()
  const dialog = page.getByRole('alertdialog')
  await expect(dialog.getByLabel('Name', { exact: true })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()

  await page.goto('/timeline')
  await page.locator('main [data-row]').first().click()
  await expect(page).toHaveURL(/event=/)
  await page.keyboard.press('Escape')
  await expect(page).not.toHaveURL(/event=/)
})
