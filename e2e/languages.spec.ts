import type { Page } from '@playwright/test'
import { stateOf } from './people.ts'
import { expect, expectLive, test } from './test.ts'

test.describe('a customer', () => {
  test.use({ storageState: stateOf('ana@demo.test') })

  test('chooses another language, which stays', async ({ page }) => {
    await page.goto('/account')
    await expect(page.locator('html')).toHaveAttribute('lang', 'en')
    await page.getByRole('button', { name: /account and appearance/ }).click()
    await page.getByLabel('Language').selectOption({ label: 'Français' })
    await expect(page.getByRole('heading', { level: 1, name: 'Mon compte' })).toBeVisible()
    await expect(page.locator('html')).toHaveAttribute('lang', 'fr')
    expect(await (await page.request.get('/account/sign-ins')).text()).toContain('Vos connexions')
  })
})

test.describe('staff', () => {
  test.use({ storageState: stateOf('support@demo.test') })

  test('work in English whatever their browser asks for', async ({ request }) => {
    const answer = await request.get('/transactions', { headers: { 'accept-language': 'de-DE' } })
    expect(await answer.text()).toContain('<html lang="en"')
  })
})

test('times follow the browser to another zone, and are local until UTC is chosen', async ({ browser }) => {
  const open = async (timezoneId: string, storageState: string | Awaited<ReturnType<typeof stateIn>>) => {
    const context = await browser.newContext({ storageState, timezoneId, locale: 'en-GB' })
    const page = await context.newPage()
    await page.goto('/accounts')
    await expectLive(page)
    await page.getByRole('button', { name: /account and appearance$/ }).click()
    return page
  }
  const stateIn = (page: Page) => page.context().storageState()
  const lisbon = await open('Europe/Lisbon', stateOf('support@demo.test'))
  await expect(lisbon.getByText('Europe/Lisbon')).toBeVisible()
  await expect(lisbon.getByRole('radio', { name: 'Local' })).toBeChecked()
  const york = await open('America/New_York', await stateIn(lisbon))
  await expect(york.getByText('America/New York')).toBeVisible()
  await expect(york.getByRole('radio', { name: 'Local' })).toBeChecked()
  await york.getByRole('radio', { name: 'UTC' }).check({ force: true })
  await expect(york.getByText('America/New York')).toBeHidden()
  const again = await open('Europe/Lisbon', await stateIn(york))
  await expect(again.getByRole('radio', { name: 'UTC' })).toBeChecked()
  for (const page of [lisbon, york, again]) await page.context().close()
})
