import type { Page } from '@playwright/test'
import { expectGerman } from './german.ts'
import { stateOf } from './people.ts'
import { playScenario, userUuidOf } from './sandbox.ts'
import { expect, expectComplaint, expectLive, expectWhole, test } from './test.ts'

test.describe('a customer whose browser asks for German', () => {
  test.use({ locale: 'de-DE' })

  test('signs in and up on German pages', async ({ page }) => {
    await page.goto('/sign-in')
    await expect(page.getByRole('heading', { name: 'Code per E-Mail' })).toBeVisible()
    await expectGerman(page)
    await expectWhole(page, 'german-sign-in')
    await page.getByLabel('E-Mail', { exact: true }).fill('niemand')
    await page.getByRole('button', { name: 'Code senden' }).click()
    await expect(page.getByText('Das ist keine E-Mail-Adresse. Beispiel: ana@demo.test')).toBeVisible()
    await page.getByLabel('E-Mail', { exact: true }).fill(`niemand${crypto.randomUUID()}@demo.test`)
    await page.getByRole('button', { name: 'Code senden' }).click()
    expectComplaint(page, 401, '/api/auth/callback/code')
    await page.getByLabel('Code', { exact: true }).fill('000000')
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
    await expect(
      page.getByRole('alert').filter({ hasText: 'Dieser Code wurde nicht angenommen.' }),
    ).toBeVisible()
    await expectGerman(page)
    await expectWhole(page, 'german-wrong-code')
    await page.goto('/sign-up')
    await expect(page.getByRole('heading', { level: 1, name: 'Konto anlegen' })).toBeVisible()
    await expectGerman(page)
    await expectWhole(page, 'german-sign-up')
  })

  test.describe('who is signed in', () => {
    test.use({ storageState: stateOf('ana@demo.test') })

    test('sees her account in German', async ({ page }) => {
      const uuid = await playScenario('fiat-to-crypto', await userUuidOf('ana@demo.test'), 100)
      await page.goto('/account')
      await expect(page.getByRole('heading', { level: 1, name: 'Mein Konto' })).toBeVisible()
      await expect(page.getByText('Verifizierung', { exact: true })).toBeVisible()
      await expectGerman(page)
      await expectWhole(page, 'german-account')
      await page.goto(`/account/transactions/${uuid}`)
      await expect(page.getByRole('button', { name: 'Referenz kopieren' })).toBeVisible()
      await expect(page.getByRole('heading', { level: 1 })).toContainText('getauscht')
      await expectGerman(page)
      await expectWhole(page, 'german-transaction')
      await page.goto('/account/sign-ins')
      await expect(page.getByRole('heading', { level: 1, name: 'Ihre Anmeldungen' })).toBeVisible()
      await expectGerman(page)
      await expectWhole(page, 'german-sign-ins')
    })
  })
})

test.describe('a customer', () => {
  test.use({ storageState: stateOf('ana@demo.test') })

  test('chooses another language, which stays', async ({ page }) => {
    await page.goto('/account')
    await expect(page.locator('html')).toHaveAttribute('lang', 'en')
    await page.getByRole('button', { name: /account and appearance/ }).click()
    await page.getByLabel('Language').selectOption({ label: 'Français' })
    await expect(page.getByRole('heading', { level: 1, name: 'Mon compte' })).toBeVisible()
    await expect(page.locator('html')).toHaveAttribute('lang', 'fr')
    await page.goto('/account/sign-ins')
    await expect(page.getByRole('heading', { level: 1, name: 'Vos connexions' })).toBeVisible()
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
    await page.goto('/transactions')
    await expectLive(page)
    await page.getByRole('button', { name: /account and appearance$/ }).click()
    return page
  }
  const stateIn = (page: Page) => page.context().storageState()
  const lisbon = await open('Europe/Lisbon', stateOf('support@demo.test'))
  await expect(lisbon.getByText('Europe/Lisbon')).toBeVisible()
  const york = await open('America/New_York', await stateIn(lisbon))
  await expect(york.getByText('America/New York')).toBeVisible()
  await expect(york.getByRole('radio', { name: 'Local' })).toBeChecked()
  await york.getByRole('radio', { name: 'UTC' }).check({ force: true })
  await expect(york.getByText('America/New York')).toBeHidden()
  const again = await open('Europe/Lisbon', await stateIn(york))
  await expect(again.getByRole('radio', { name: 'UTC' })).toBeChecked()
  const utc = await open('UTC', stateOf('support@demo.test'))
  await expect(utc.getByRole('radio', { name: 'Local' })).toBeChecked()
  for (const page of [lisbon, york, again, utc]) await page.context().close()
})
