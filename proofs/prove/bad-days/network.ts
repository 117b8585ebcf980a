import { expect, type Page } from '@playwright/test'
import { type BadDay, expectOneEndpoint, fillEndpoint, keepPicture } from './stage.ts'

/** The network goes away in the middle of a form. Nothing typed is lost, and the form is sent when the network is back. */
export const networkLost: BadDay = async (stage) => {
  const page = await stage.open('admin@demo.test')
  const name = await fillEndpoint(page, stage)
  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'Add endpoint' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'No answer came.' })).toBeVisible()
  await expect(page.getByLabel('Description')).toHaveValue(name)
  await expect(page.getByLabel('Reason', { exact: true })).toHaveValue('a proof of it')
  await keepPicture(page, 'network-lost-form')
  await page.getByRole('link', { name: 'Timeline' }).first().click()
  await expect(page.getByText('There is no network, so this page stays.')).toBeVisible()
  await customerStays(stage)
  await page.context().setOffline(false)
  await page.getByRole('button', { name: 'Add endpoint' }).click()
  await expectOneEndpoint(page, stage, name)
  return 'the form says so, keeps what was typed, and is sent afterwards'
}

/** A customer's page stays too. */
async function customerStays(stage: Parameters<BadDay>[0]): Promise<void> {
  const page = await stage.open('ana@demo.test')
  await page.goto('/account')
  await expect(page.getByRole('banner').getByRole('status')).toHaveText('Up to date', { timeout: 30_000 })
  await page.context().setOffline(true)
  await page.locator('main a[href^="/account/transactions/"]').first().click()
  await expect(page.getByText('There is no network, so this page stays.')).toBeVisible()
  await expect(page.getByRole('heading', { level: 1, name: 'My account' })).toBeVisible()
}

/** The server goes away and comes back under open pages. They stay, and then show everything once. */
export const serverRestarted: BadDay = async (stage) => {
  const timeline = await stage.open('admin@demo.test')
  const endpoints = await stage.open('admin@demo.test')
  const form = await stage.open('admin@demo.test')
  await timeline.goto('/timeline')
  await endpoints.goto('/endpoints')
  const name = await fillEndpoint(form, stage)
  for (const page of [timeline, endpoints]) await expectState(page, 'live')
  const before = await send(stage)
  await expectOnce(timeline, before)

  await stage.server.kill('SIGTERM')
  const meanwhile = [await send(stage), await send(stage)]
  for (const page of [timeline, endpoints]) await expectState(page, 'reconnecting')
  await keepPicture(timeline, 'server-away-timeline')
  await form.getByRole('button', { name: 'Add endpoint' }).click()
  await expect(form.getByRole('alert').filter({ hasText: 'No answer came.' })).toBeVisible()
  // The wait is longer than the time until the endpoints check the service again.
  await endpoints.waitForTimeout(35_000)
  await expect(endpoints.getByRole('heading', { name: 'Webhook endpoints' })).toBeVisible()
  await expect(timeline.getByRole('heading', { name: 'Timeline' })).toBeVisible()
  await endpoints.getByRole('link', { name: 'Accounts' }).first().click()
  await expect(endpoints.getByText('The server does not answer, so this page stays.')).toBeVisible()
  await keepPicture(endpoints, 'server-away-link')

  await stage.server.start()
  await expect(endpoints.getByRole('heading', { level: 1, name: 'Accounts' })).toBeVisible({
    timeout: 30_000,
  })
  for (const page of [timeline, endpoints]) await expectState(page, 'live')
  // The service retries what was not taken.
  await stage.control('clock/advance', { seconds: 3_700 })
  const after = await send(stage)
  for (const one of [before, ...meanwhile, after]) await expectOnce(timeline, one)
  await expect(form.getByLabel('Description')).toHaveValue(name)
  await form.getByRole('button', { name: 'Add endpoint' }).click()
  await expectOneEndpoint(form, stage, name)
  return 'open pages stay, come back live, and have each event once; the form is sent once'
}

const expectState = (page: Page, state: string) =>
  expect(page.locator(`header [data-connection=${state}]`).first()).toBeVisible({ timeout: 60_000 })

/** The event is about an unknown person, whose uuid is the answer. */
async function send({ control }: Parameters<BadDay>[0]): Promise<string> {
  const uuid = crypto.randomUUID()
  await control('events', { type: 'KYC', subType: 'x', uuid, data: {} })
  return uuid
}

const expectOnce = (page: Page, uuid: string) =>
  expect(page.getByRole('listitem').filter({ hasText: uuid.slice(0, 8) })).toHaveCount(1, { timeout: 60_000 })

/**
 * An upgrade removes the files of an open page. What the page loads later cannot come, so it must explain that and offer a
 * way to continue.
 */
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

/** The page gets no script that it does not have yet. */
async function withoutFiles(page: Page, act: () => Promise<void>) {
  const files = /\/_next\/static\/.*\.js/
  await page.route(files, (route) => route.fulfill({ status: 404, body: '' }))
  await act()
  await page.unroute(files)
}
