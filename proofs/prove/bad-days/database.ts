import { expect } from '@playwright/test'
import { type BadDay, expectOneEndpoint, fillEndpoint, keepPicture } from './stage.ts'

/**
 * The database goes away and comes back under open pages. They stay, and a page opened meanwhile explains it and offers a
 * way to continue.
 */
export const databaseAway: BadDay = async ({ open, database, control }) => {
  const endpoints = await open('admin@demo.test')
  const list = await open('support@demo.test')
  await endpoints.goto('/endpoints')
  await expect(endpoints.getByRole('link', { name: 'Rampart (this dashboard)' })).toBeVisible()
  const state = endpoints.getByRole('banner').getByRole('status')
  await list.goto('/transactions')
  await expect(list.locator('main a[href^="/transactions/"]').first()).toBeVisible()

  await database.stop()
  try {
    await list.getByLabel('Order').selectOption('Largest fiat amount')
    await expect(list.getByRole('alert').filter({ hasText: 'This could not be loaded' })).toBeVisible()
    await keepPicture(list, 'database-away-list')
    // The wait is longer than the time until the endpoints check the service again.
    await endpoints.waitForTimeout(35_000)
    await expect(endpoints.getByRole('link', { name: 'Rampart (this dashboard)' })).toBeVisible()
    // Two checks have failed by then, the second after a wait for a connection.
    await expect(state).toHaveText('State not known', { timeout: 30_000 })
    await keepPicture(endpoints, 'database-away-open')
    await endpoints.getByRole('link', { name: 'Timeline' }).first().click()
    await expect(endpoints.getByRole('alert').getByRole('heading', { level: 1 })).toBeVisible()
    await keepPicture(endpoints, 'database-away-page')
  } finally {
    await database.start()
  }
  await expect(async () => {
    await endpoints.getByRole('button', { name: 'Try again' }).click({ timeout: 1_000 })
    await expect(endpoints.getByRole('heading', { level: 1, name: 'Timeline' })).toBeVisible({
      timeout: 3_000,
    })
  }).toPass({ timeout: 60_000 })
  await list.getByRole('button', { name: 'Try again' }).click()
  await expect(list.locator('main a[href^="/transactions/"]').first()).toBeVisible()
  const uuid = crypto.randomUUID()
  await control('events', { type: 'KYC', subType: 'x', uuid, data: {} })
  await expect(endpoints.getByRole('listitem').filter({ hasText: uuid.slice(0, 8) })).toHaveCount(1, {
    timeout: 90_000,
  })
  await expect(state).not.toHaveText('State not known', { timeout: 30_000 })
  return 'open pages stay, a list, a page and the header say so, and all of them go on afterwards'
}

/** The database goes away while a form is sent. The typed text stays, and the action happens once. */
export const databaseAwayInForm: BadDay = async (stage) => {
  const page = await stage.open('admin@demo.test')
  const name = await fillEndpoint(page, stage)
  await stage.database.stop()
  try {
    await page.getByRole('button', { name: 'Add endpoint' }).click()
    await expect(page.getByRole('main').getByRole('alert').first()).toBeVisible({ timeout: 30_000 })
    await keepPicture(page, 'database-away-form')
    await expect(page.getByLabel('Description')).toHaveValue(name)
    await expect(page.getByLabel('Why')).toHaveValue('a proof of it')
  } finally {
    await stage.database.start()
  }
  await expect(async () => {
    await page.getByRole('button', { name: 'Add endpoint' }).click({ timeout: 1_000 })
    await expect(page.getByLabel('Signing secret')).toBeVisible({ timeout: 10_000 })
  }).toPass({ timeout: 60_000 })
  await expectOneEndpoint(page, stage, name)
  return 'the form says so, keeps what was typed, and is done once afterwards'
}
