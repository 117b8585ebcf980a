import type { Page } from '@playwright/test'
import { sandboxUrl } from './addresses.ts'
import { inDatabase } from './database.ts'
import { openOnceItSays } from './open-once.ts'
import {
  askBehindItsBack,
  createUserAtService,
  endpointsAtService,
  madeUpAddress,
  mailCode,
  playScenarioOf,
  userUuidOf,
} from './sandbox.ts'
import { expect, expectWhole, joinTheTeam, test } from './test.ts'

// The tests run one after the other, because there is one receiver.
test.describe.configure({ mode: 'default' })

const receiver = `${sandboxUrl}/receiver`

test('the console keeps its place, says how far a play is, and leads to it in the dashboard', async ({
  page,
}) => {
  test.slow()
  await page.goto(`${sandboxUrl}/`)
  const play = page.getByRole('button', { name: 'Play: Success (crypto-to-fiat)' })
  await play.scrollIntoViewIfNeeded()
  await page.getByLabel('Pace').selectOption('0')
  await play.scrollIntoViewIfNeeded()
  const before = await page.evaluate(() => scrollY)
  expect(before).toBeGreaterThan(200)
  await play.click()
  await page.waitForURL(/played=/)
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(before)
  await expect(page.getByRole('status')).toContainText(/\d of 4 delivered/)
  // The console refreshes every 2 s. If that broke its own policy, the browser would complain.
  await page.waitForTimeout(2_500)
  const link = page.getByRole('status').getByRole('link', { name: 'Open in dashboard' })
  expect(await link.getAttribute('href')).toMatch(/\/go\/[0-9a-f-]{36}$/)
  await expectWhole(page, 'console-played')
})

test('a mail that arrives moves nothing below the list', async ({ page }) => {
  const email = `mailed-${crypto.randomUUID()}@demo.test`
  await createUserAtService(email, madeUpAddress())
  await page.goto(`${sandboxUrl}/mailbox?email=${encodeURIComponent(email)}`)
  const footer = page.getByRole('contentinfo')
  const place = await footer.boundingBox()
  for (const mails of [1, 2]) {
    await mailCode(await userUuidOf(email))
    await expect(page.locator('.code')).toHaveCount(mails)
    expect(await footer.boundingBox()).toEqual(place)
  }
})

test('the receiver takes what is sent to it, or fails on request', async ({ page }) => {
  test.slow()
  const deliver = async (subType: string) => {
    const body = JSON.stringify({ type: 'KYC', subType, uuid: crypto.randomUUID(), data: {} })
    const headers = { authorization: 'API-Key not-known' }
    return (await fetch(receiver, { method: 'POST', headers, body })).status
  }
  await page.goto(receiver)
  // An earlier try may have left the receiver failing.
  await page.getByRole('button', { name: '200, taken' }).click()
  await expect(page.getByText('200 to everything')).toBeVisible()
  expect(await deliver('taken')).toBe(200)
  await expect(page.locator('details').filter({ hasText: 'taken' }).first()).toBeVisible()
  await page.getByRole('button', { name: '500, failed' }).click()
  await expect(page.getByText('Every delivery fails and is tried again')).toBeVisible()
  expect(await deliver('refused')).toBe(500)
  await expect(page.locator('details').filter({ hasText: 'refused' }).first()).toBeVisible()
  await expectWhole(page, 'console-receiver')
  await page.getByRole('button', { name: '200, taken' }).click()
  await expect(page.getByText('200 to everything')).toBeVisible()
})

test('an endpoint’s life is played with the receiver: create, fail, switched off, send what it missed, rotate, replace', {
  tag: '@slow',
}, async ({ page }) => {
  test.setTimeout(300_000)
  const name = `Played ${crypto.randomUUID().slice(0, 8)}`
  await joinTheTeam(page, 'Playing Admin')
  // An earlier try may have left the receiver failing, and with secrets.
  await answerWith(page, '200, taken')
  await forgetSecrets(page)

  await page.goto('/endpoints/new')
  await page.getByText('Another address', { exact: true }).click()
  await expect(page.getByLabel('URL', { exact: true })).toHaveValue(receiver)
  await page.getByLabel('Description').fill(name)
  await page.getByText('Only some', { exact: true }).click()
  await page.getByRole('checkbox', { name: /^Duplicate user/ }).check()
  await page.getByLabel('Reason', { exact: true }).fill(why)
  await page.getByRole('button', { name: 'Add endpoint' }).click()
  const first = await takeSecret(page)
  await expect(page.getByRole('link', { name: 'Give it to the sandbox’s receiver' })).toHaveAttribute(
    'href',
    receiver,
  )
  await page.getByRole('link', { name: 'Go to the endpoint' }).click()
  await page.waitForURL(/\/endpoints\/[0-9a-f-]{36}$/)
  const uuid = page.url().slice(-36)
  await act(page, 'Mark as deployed')

  await test.step('the receiver checks the secret that it was given, and shows what came', async () => {
    await giveSecret(page, first)
    await play(page)
    await expectReceived(page, 1, '200')
  })

  await test.step('it fails on request, and the service switches the endpoint off', async () => {
    await answerWith(page, '500, failed')
    await playAgain()
    await expectReceived(page, 1, '500')
    await page.goto(`${sandboxUrl}/endpoints?endpoint=${uuid}`)
    await page.getByRole('button', { name: 'Switch it off as the service does' }).click()
    await expect(page.getByRole('button', { name: 'Switch it off as the service does' })).toBeDisabled()
    await answerWith(page, '200, taken')
  })

  await test.step('the dashboard says loudly that it is off, and since when', async () => {
    await page.goto(`/endpoints/${uuid}`)
    await expect(page.getByText('The provider switched this endpoint off.')).toBeVisible()
    await expect(page.getByText(/Off since /)).toBeVisible()
  })

  await test.step('what it missed meanwhile is sent to it', async () => {
    await clearReceived(page)
    await playAgain()
    const missed = page.getByRole('link', { name: /^Send what it missed since/ })
    await openOnceItSays(page, `/endpoints/${uuid}`, 'Send what it missed')
    await expect(missed).toBeVisible()
    await expectWhole(page, 'endpoint-missed-elsewhere')
    await missed.click()
    await expect(page.getByLabel('Address', { exact: true })).toHaveValue(receiver)
    await page.getByLabel('Secret', { exact: true }).fill(first)
    await page.getByLabel('Pace').selectOption('50')
    await page.getByLabel('Reason', { exact: true }).fill(why)
    await page.getByRole('button', { name: /^Send (it|all)/ }).click()
    await page.waitForURL(/\/replays\/[0-9a-f-]{36}$/)
    await expect(page.getByText('Done', { exact: true })).toBeVisible({ timeout: 30_000 })
    await expectReceived(page, 1, '200')
  })

  await test.step('it is active again, and gets a new secret', async () => {
    await page.goto(`/endpoints/${uuid}`)
    await act(page, 'Activate')
    await expect(page.getByText('The provider switched this endpoint off.')).toBeHidden()
    await act(page, 'Rotate secret')
    const second = await takeSecret(page)
    expect(second).not.toBe(first)
    await giveSecret(page, second)
    await forgetReceived()
    await playAgain()
    await expectReceived(page, 1, '200')
    await page.goto(`/endpoints/${uuid}`)
    await act(page, 'Mark as deployed')
  })

  await test.step('it is replaced: two get everything, told apart, until the new one is confirmed', async () => {
    await act(page, 'Replace')
    await expect(page.getByText('The second endpoint was made')).toBeVisible()
    const third = await takeSecret(page)
    await giveSecret(page, third)
    await forgetReceived()
    await playAgain()
    await expectReceived(page, 2, '200')
    await page.goto('/endpoints')
    const twins = page.getByRole('row').filter({ hasText: name })
    await expect(twins).toHaveCount(2)
    await expect(twins.filter({ hasText: 'old · until confirmed' })).toHaveCount(1)
    await twins.filter({ hasText: 'new · confirm' }).getByRole('link', { name }).click()
    await expect(page.getByText('This endpoint is to replace another one.')).toBeVisible()
    await act(page, 'It is deployed')
    await expect(page.getByText('This endpoint is to replace another one.')).toBeHidden()
    await page.goto('/endpoints')
    await expect(page.getByRole('row').filter({ hasText: name })).toHaveCount(1)
  })
  await forgetSecrets(page)
  for (const one of await endpointsAtService())
    if (one.url === receiver) await askBehindItsBack('DELETE', one.uuid)
})

const why = 'the tour'

/**
 * The function copies the secret, which is shown only once, because leaving the page asks otherwise. It answers the secret.
 */
async function takeSecret(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Copy secret' }).click()
  await expect(page.locator('[data-copied]')).toBeVisible()
  return page.getByLabel('Signing secret').innerText()
}

/** The function plays the endpoint's one event, as a person does in the console. */
async function play(page: Page) {
  await page.goto(`${sandboxUrl}/`)
  await page.getByLabel('Pace').selectOption('0')
  await page.getByRole('button', { name: 'Play: Duplicate user (duplicate-user)' }).click()
  await expect(page.getByRole('status')).toContainText('Duplicate user', { ignoreCase: true })
}

const playAgain = async () => playScenarioOf('duplicate-user', await userUuidOf('ana@demo.test'))

/** The receiver starts anew, as by its button. */
const forgetReceived = () => inDatabase('DELETE FROM received', [], 'sandbox')

async function answerWith(page: Page, label: string) {
  await page.goto(receiver)
  await page.getByRole('button', { name: label }).click()
  await expect(page.getByRole('button', { name: label })).toHaveAttribute('aria-pressed', 'true')
}

async function giveSecret(page: Page, secret: string) {
  await page.goto(receiver)
  await page.getByLabel('Signing secret').fill(secret)
  await page.getByRole('button', { name: 'Save secret' }).click()
  await expect(page.getByText(`…${secret.slice(-6)}`)).toBeVisible()
}

async function forgetSecrets(page: Page) {
  await page.goto(receiver)
  const forget = page.getByRole('button', { name: /^Forget the secret/ })
  for (let left = await forget.count(); left > 0; left--) {
    await forget.first().click()
    await expect(forget).toHaveCount(left - 1)
  }
}

async function clearReceived(page: Page) {
  await page.goto(receiver)
  const clear = page.getByRole('button', { name: 'Clear' })
  if ((await clear.count()) > 0) await clear.click()
  await expect(page.getByText('Nothing yet.')).toBeVisible()
}

/** The receiver must show at least this many of the played events, since a failed one is retried. */
async function expectReceived(page: Page, count: number, status: string) {
  await page.goto(receiver)
  const rows = page
    .locator('details')
    .filter({ hasText: 'DUPLICATE_USER' })
    .filter({ hasText: 'right secret' })
    .filter({ hasText: status })
  await expect(rows.nth(count - 1)).toBeVisible()
}

/** The function opens an action's dialog, gives a reason where the dialog asks for one, and confirms. */
async function act(page: Page, label: string) {
  await page
    .getByRole('button', { name: `${label}…` })
    .first()
    .click()
  const dialog = page.getByRole('alertdialog')
  const confirm = dialog.getByRole('button', { name: label, exact: true })
  await expect(confirm).toBeVisible()
  const reason = dialog.getByLabel('Reason', { exact: true })
  if (await reason.isVisible()) await reason.fill(why)
  await confirm.click()
  if (label !== 'Rotate secret' && label !== 'Replace') await expect(dialog).toBeHidden()
}
