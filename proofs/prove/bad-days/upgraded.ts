import { expect, type Page } from '@playwright/test'
import { keepPicture } from './keep-picture.ts'
import type { BadDay } from './stage.ts'

/** The files of an open page are gone after an upgrade: what it loads later cannot come, which is said with a way on. */
export const upgraded: BadDay = async (stage) => {
  const page = await stage.open('admin@demo.test')
  const newer = page.getByRole('heading', { name: 'There is a newer version of this page' })
  const reload = page.getByRole('button', { name: 'Reload' })

  await page.goto('/team')
  await withoutFiles(page, async () => {
    await page.getByRole('button', { name: 'Invite…' }).click()
    await expect(newer).toBeVisible()
    await keepPicture(page, 'upgraded-dialog')
  })
  await reload.click()
  await page.getByRole('button', { name: 'Invite…' }).click()
  await expect(page.getByRole('alertdialog').getByLabel('Name', { exact: true })).toBeFocused()
  await page.keyboard.press('Escape')

  await page.goto('/overview')
  await withoutFiles(page, async () => {
    await page.getByRole('link', { name: 'Settings' }).first().click()
    await expect(newer.or(page.getByRole('heading', { level: 1, name: 'Settings' }))).toBeVisible()
    await keepPicture(page, 'upgraded-page')
  })
  if (await reload.isVisible()) await reload.click()
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()

  await page.goto('/endpoints/new')
  await page.getByLabel('Description').fill('Half a sentence')
  await withoutFiles(page, async () => {
    await page.keyboard.press('Tab')
    await page.keyboard.press('ControlOrMeta+k')
    await expect(page).toHaveURL(/\/transactions$/)
  })
  await page.goto('/endpoints/new')
  await expect(page.getByLabel('Description')).toHaveValue('Half a sentence')
  await page.getByRole('button', { name: 'Discard' }).click()
  return 'a dialog, a page and the palette whose files are gone lead on, and drafts stay'
}

/** No script comes that this page does not have yet. */
async function withoutFiles(page: Page, act: () => Promise<void>) {
  const files = /\/_next\/static\/.*\.js/
  await page.route(files, (route) => route.fulfill({ status: 404, body: '' }))
  await act()
  await page.unroute(files)
}
