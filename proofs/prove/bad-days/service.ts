import { expect, type Page } from '@playwright/test'
import { z } from 'zod'
import { openAlerts } from '../../../e2e/test.ts'
import { type BadDay, expectOneEndpoint, fillEndpoint, keepPicture, userUuidOf } from './stage.ts'

/**
 * The service is gone while pages open that ask it. Each page explains it, shows what is known, and offers a way to
 * continue.
 */
export const serviceDown: BadDay = async (stage) => {
  const admin = await stage.open('admin@demo.test')
  const ana = await stage.open('ana@demo.test')
  const person = `/users/${await userUuidOf(stage, 'ana@demo.test')}`
  await stage.service.kill('SIGKILL')
  try {
    await admin.goto(person)
    await expectWords(admin, 'could not be reached, or the connection broke. Try again in a minute.')
    await expect(admin.getByText('Below is the last known state.')).toBeVisible()
    await expect(admin.getByRole('region', { name: 'Transactions' })).toBeVisible()
    await keepPicture(admin, 'service-down-person')
    await ana.goto('/account')
    await expectWords(ana, 'Try again in a minute.')
    await expect(ana.locator('main a[href^="/account/transactions/"]').first()).toBeVisible()
    await keepPicture(ana, 'service-down-account')
    await admin.goto('/endpoints')
    await expectWords(admin, 'could not be reached, or the connection broke.')
    await keepPicture(admin, 'service-down-endpoints')
  } finally {
    await stage.service.start()
  }
  await admin.getByRole('button', { name: 'Try again' }).click()
  await expect(admin.getByRole('link', { name: 'Rampart (this dashboard)' })).toBeVisible()
  return 'a person, an account and the endpoints say so, and show what is known'
}

/**
 * The service no longer accepts the key. Staff read it where they can act, and a person who signs in reads that it is
 * nobody’s fault.
 */
export const keyRefused: BadDay = async (stage) => {
  const admin = await stage.open('admin@demo.test')
  await stage.service.kill('SIGTERM')
  await stage.strictService.start()
  try {
    await admin.goto('/endpoints')
    await expectWords(admin, 'The provider does not accept this dashboard’s API key.')
    await keepPicture(admin, 'key-refused-endpoints')
    await admin.goto('/overview')
    // The watcher checks at once, and the page's next update shows the result.
    const alerts = admin.getByRole('region', { name: 'Alerts' })
    const way = alerts.getByRole('link', { name: 'Replace the API key' })
    await expect(async () => {
      await openAlerts(admin)
      await expect(way).toBeVisible({ timeout: 5_000 })
    }).toPass({ timeout: 90_000 })
    await expect(way).toHaveAttribute('href', '/settings#service')
    await keepPicture(admin, 'key-refused-overview')
    const stranger = await admin.context().browser()?.newPage({ baseURL: stage.url })
    if (!stranger) throw new Error('The browser has gone')
    await stranger.goto('/sign-in')
    await expect(stranger.getByText('Nothing of yours is lost: the payment provider rejects')).toBeVisible()
    await keepPicture(stranger, 'key-refused-sign-in')
    await stranger.close()
  } finally {
    await stage.strictService.kill('SIGTERM')
    await stage.service.start()
  }
  await admin.goto('/endpoints')
  await expect(admin.getByRole('link', { name: 'Rampart (this dashboard)' })).toBeVisible()
  return 'the endpoints, the overview and the sign-in say so, until it is taken again'
}

const expectWords = (page: Page, words: string) =>
  expect(page.getByRole('alert').filter({ hasText: words }).first()).toBeVisible({ timeout: 60_000 })

/** Somebody else deletes an endpoint whose page is open, and the person at that page then acts on it. */
export const endpointDeleted: BadDay = async (stage) => {
  const made = await stage.callService('POST', 'merchant/webhook-endpoints', {
    url: `${stage.sandboxUrl}/receiver`,
    description: 'Soon gone',
  })
  const { uuid } = z.object({ uuid: z.string() }).parse(made)
  const page = await stage.open('admin@demo.test')
  const dialog = page.getByRole('alertdialog')
  await page.goto(`/endpoints/${uuid}`)
  await page.getByRole('button', { name: 'Disable…' }).click()
  await dialog.getByLabel('Reason', { exact: true }).fill('it is not needed tonight')
  await stage.callService('DELETE', `merchant/webhook-endpoints/${uuid}`)
  await dialog.getByRole('button', { name: 'Disable', exact: true }).click()
  await expect(dialog.getByRole('alert')).toContainText('This endpoint no longer exists.')
  await expect(dialog.getByLabel('Reason', { exact: true })).toHaveValue('it is not needed tonight')
  await keepPicture(page, 'endpoint-deleted-dialog')
  await page.keyboard.press('Escape')
  await page.reload()
  await expect(
    page.getByRole('heading', { name: 'The provider knows no endpoint with this ID' }),
  ).toBeVisible()
  await keepPicture(page, 'endpoint-deleted-page')
  await page.getByRole('link', { name: 'All endpoints' }).click()
  await expect(page.getByRole('heading', { name: 'Webhook endpoints' })).toBeVisible()
  return 'the dialog and the page say that it is gone, and lead to the others'
}

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
    await expect(page.getByLabel('Reason', { exact: true })).toHaveValue('a proof of it')
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
