import type { Page } from '@playwright/test'
import { sandboxUrl } from './addresses.ts'
import { inDatabase } from './database.ts'
import { createEndpointAtService, endpointsAtService, switchOffAtService } from './sandbox.ts'
import { expect, expectLive, expectWhole, joinTheTeam, test } from './test.ts'

const reason = 'a test of alerts'
const rule = 'Endpoint off'
/** A second try has another channel, because the first one may still be there. */
const pager = `Pager ${crypto.randomUUID().slice(0, 8)}`
/** A round of alerts comes each 15 s, and the page is drawn again each 30 s. */
const withinRounds = { timeout: 60_000 }

/** A channel on this machine may only be the sandbox's receiver, which keeps what it was sent. */
const receiver = `${sandboxUrl}/receiver`

/** The receiver was sent these bodies about alerts. */
async function readReceived(): Promise<string[]> {
  const sql = `SELECT body FROM received WHERE body LIKE '{"type":"alerts.%' ORDER BY id`
  return ((await inDatabase(sql, [], 'sandbox')) as { body: string }[]).map(({ body }) => body)
}

test('an endpoint is off: the alert appears, reaches a webhook, is acknowledged and resolved', async ({
  page,
}) => {
  test.slow()
  await joinTheTeam(page, 'Alert Admin')
  await addWebhook(page, receiver)
  const changesOf = async (uuid: string) => changesAbout(await readReceived(), uuid)

  await test.step('a test of the channel arrives', async () => {
    await page.getByRole('button', { name: `Send a test… ${pager}` }).click()
    await dialog(page).getByRole('button', { name: 'Send a test' }).click()
    await expect(dialog(page)).toContainText('The test was taken')
    await dialog(page).getByRole('button', { name: 'Close' }).click()
    const types = (await readReceived()).map((body) => JSON.parse(body).type)
    expect(types.at(-1)).toBe('alerts.test')
  })

  await test.step('the rule fires at once, by the webhook alone', async () => {
    await page.getByRole('button', { name: `Change… ${rule}` }).click()
    await dialog(page).getByLabel('Threshold, minutes').fill('0')
    await dialog(page).getByText('Only some').click()
    await dialog(page).getByLabel(pager).check()
    await confirm(page, 'Change')
    await expect(page.getByRole('row', { name: rule })).toContainText('at once')
    await expect(page.getByRole('row', { name: rule })).toContainText(pager)
  })

  await page.goto('/alerts')
  await expectLive(page)
  const uuid = await switchOff(`Ledger ${Date.now()}`)
  const alert = page
    .getByRole('list', { name: 'Firing alerts' })
    .getByRole('listitem')
    .filter({ hasText: uuid.slice(0, 8) })
  await test.step('the open page shows the alert, and the sidebar counts it', async () => {
    await expect(alert).toContainText(
      'Open the endpoint: it says who switched it off and why. Activate it when it should deliver again.',
      withinRounds,
    )
    await expect(
      page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Alerts/ }),
    ).toHaveText(/^Alerts\d+ not acknowledged$/)
    await expectWhole(page, 'alerts-firing')
  })

  await test.step('the webhook is told that it fires', async () => {
    await sendWaiting()
    await expect.poll(() => changesOf(uuid), withinRounds).toEqual(['fired firing'])
    await drawAgain(page)
    await expect(alert).toContainText('1 message sent', withinRounds)
  })

  await test.step('a person acknowledges it', async () => {
    await alert.getByRole('button', { name: /^Acknowledge/ }).click()
    await expect(alert).toContainText('acknowledged by Alert Admin')
    await expect(alert.getByRole('button', { name: /^Acknowledge/ })).toHaveCount(0)
    await expect(alert.getByRole('button', { name: /^Unacknowledge/ })).toBeFocused()
  })

  await test.step('takes that back, and acknowledges it again', async () => {
    await alert.getByRole('button', { name: /^Unacknowledge/ }).click()
    await expect(alert).not.toContainText('acknowledged by')
    await alert.getByRole('button', { name: /^Acknowledge/ }).click()
    await expect(alert).toContainText('acknowledged by Alert Admin')
  })

  await test.step('its page leads to the cause, which is removed', async () => {
    await alert.getByRole('link', { name: /^Open the page/ }).click()
    await page.waitForURL(`**/endpoints/${uuid}`)
    await page.getByRole('button', { name: 'Activate…' }).first().click()
    await confirm(page, 'Activate')
  })

  await test.step('the alert moves to the history, and the webhook is told', async () => {
    await page.goto('/alerts')
    await endQuietMinute(uuid)
    const resolved = 'SELECT FROM alert WHERE subject = $1 AND resolved_at IS NOT NULL'
    await expect.poll(() => inDatabase(resolved, [uuid]), withinRounds).toHaveLength(1)
    await drawAgain(page)
    await expect(alert).toHaveCount(0, withinRounds)
    await expect(
      page
        .getByRole('region', { name: 'History' })
        .getByRole('row')
        .filter({ hasText: uuid.slice(0, 8) }),
    ).toContainText('Alert Admin')
    await sendWaiting()
    await expect.poll(() => changesOf(uuid), withinRounds).toEqual(['fired firing', 'resolved resolved'])
  })

  await test.step('the history is filtered by the address', async () => {
    await page.goto('/alerts?state=resolved&condition=endpoint-off')
    await expect(page.getByRole('region', { name: 'Firing' })).toHaveCount(0)
    await expect(page.getByRole('region', { name: 'History' })).toContainText(uuid.slice(0, 8))
    await page.getByLabel('Condition').selectOption('Disk almost full')
    await expect(page.getByText('No resolved alert matches')).toBeVisible()
  })

  await test.step('the channel is removed', async () => {
    await page.goto('/settings/alerts')
    await page.getByRole('button', { name: `Remove… ${pager}` }).click()
    await confirm(page, 'Remove')
    await expect(page.getByRole('list', { name: 'Channels' })).not.toContainText(pager)
  })
})

const dialog = (page: Page) => page.getByRole('alertdialog')

async function confirm(page: Page, button: string) {
  await dialog(page).getByLabel('Reason').fill(reason)
  await dialog(page).getByRole('button', { name: button, exact: true }).click()
  await expect(dialog(page)).toBeHidden()
}

/** The admin adds a signed webhook, whose secret the page shows once. */
async function addWebhook(page: Page, address: string) {
  await page.goto('/settings/alerts')
  await page.getByRole('button', { name: 'Add a channel…' }).click()
  await dialog(page).getByLabel('Kind').selectOption('Signed webhook')
  await dialog(page).getByLabel('Name').fill(pager)
  await dialog(page).getByLabel('Address').fill(address)
  await dialog(page).getByLabel('Reason').fill(reason)
  await dialog(page).getByRole('button', { name: 'Add a channel', exact: true }).click()
  await expect(dialog(page).getByLabel('Signing secret')).toHaveText(/^whsec_/)
  await dialog(page).getByRole('button', { name: 'Copy secret' }).click()
  await expect(dialog(page).locator('[data-copied]')).toBeVisible()
  await dialog(page).getByRole('button', { name: 'Close' }).click()
  await expect(page.getByRole('list', { name: 'Channels' })).toContainText(pager)
}

/** The service switches an endpoint off, and the watcher is woken, which looks each minute. The answer is its uuid. */
async function switchOff(name: string): Promise<string> {
  const url = `http://localhost:9/${encodeURIComponent(name)}`
  await createEndpointAtService(url, name)
  const { uuid } = (await endpointsAtService()).find((one) => one.url === url) ?? { uuid: '' }
  await switchOffAtService(uuid)
  await inDatabase(`SELECT pg_notify('endpoint_changed', $1)`, [uuid])
  return uuid
}

/** The news about alerts wait half a minute for others. */
const sendWaiting = () => inDatabase('UPDATE alert_news SET due_at = now() WHERE message_id IS NULL')

/** Nothing has to be wrong for a minute before an alert is resolved. */
const endQuietMinute = (subject: string) =>
  expect(async () => {
    const rows = await inDatabase(
      `UPDATE alert SET ok_since = now() - interval '1 minute'
       WHERE subject = $1 AND ok_since IS NOT NULL AND resolved_at IS NULL RETURNING id`,
      [subject],
    )
    expect(rows).toHaveLength(1)
  }).toPass()

/** The page is drawn again, as when its tab is opened. */
const drawAgain = (page: Page) => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))

/** The webhook was sent these changes and states of alerts about one subject. */
function changesAbout(bodies: readonly string[], subject: string): string[] {
  return bodies.flatMap((body) => {
    const { data }: { data: { alerts: { subject: string; change: string; state: string }[] } } =
      JSON.parse(body)
    return data.alerts.flatMap((one) => (one.subject === subject ? [`${one.change} ${one.state}`] : []))
  })
}
