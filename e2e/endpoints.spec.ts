import type { Locator, Page } from '@playwright/test'
import { callAction, createEndpoint, endpointIn } from './call-action.ts'
import { inDatabase } from './database.ts'
import { pick, press, type } from './keyboard.ts'
import { openOnceItSays } from './open-once.ts'
import { stateOf } from './people.ts'
import { askBehindItsBack, endpointsAtService, sendEvent, strike, userUuidOf } from './sandbox.ts'
import {
  ageSignIn,
  expect,
  expectWhole,
  joinTheTeam,
  openAlerts,
  renderAgain,
  signInInNewTab,
  test,
} from './test.ts'

// The tests run one after the other, so that a dropped answer belongs to the right test.
test.describe.configure({ mode: 'default' })

const why = 'a test wants it'

/** A second try finds its own endpoints by these names, because those of the first one may still be there. */
const suffix = crypto.randomUUID().slice(0, 8)
const lostEndpoint = `Lost and found ${suffix}`
const ledger = `Ledger backend ${suffix}`
const madeUnseen = `Made unseen ${suffix}`

test.describe('an admin', () => {
  test.use({ storageState: stateOf('admin@demo.test') })

  // The sign-in is renewed because the tests before may have taken long.
  test.beforeEach(async () => {
    const admin = await userUuidOf('admin@demo.test')
    await inDatabase('UPDATE session SET signed_in_at = now() WHERE user_uuid = $1', [admin])
  })

  test('repairs an endpoint whose secret was lost, and deletes it', async ({ page }) => {
    await page.goto('/endpoints/new')
    await page.getByText('This dashboard', { exact: true }).click()
    await page.getByLabel('Description').fill(lostEndpoint)
    await page.getByLabel('Reason', { exact: true }).fill(why)
    await strike({ kind: 'drop_answer', method: 'POST', path: '/merchant/webhook-endpoints', next: 1 })
    await page.getByRole('button', { name: 'Add endpoint' }).click()
    await expect(page.getByText('The endpoint may have been created all the same.')).toBeVisible()

    const lost = 'The secret of this endpoint was lost.'
    await openOnceItSays(page, await pathOf(lostEndpoint), lost)
    await expect(page.getByText(lost)).toBeVisible()
    await act(page, 'Repair')
    await expect(page.getByText(lost)).toBeHidden()
    await expect(page.getByText('Active (stored as a hash)')).toBeVisible()

    await page.getByRole('button', { name: 'Delete…' }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByLabel('Reason', { exact: true }).fill(why)
    await expect(dialog.getByRole('button', { name: 'Delete' })).toBeDisabled()
    await dialog.getByLabel('To confirm').fill(lostEndpoint)
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await expect(page).toHaveURL(/\/endpoints$/)
    await expect(page.getByRole('link', { name: 'Rampart (this dashboard)' })).toBeVisible()
    await expect(page.getByRole('link', { name: lostEndpoint })).toHaveCount(0)
  })

  test('replaces an endpoint elsewhere with overlap, and says where that stands', async ({ page }) => {
    await page.goto('/endpoints/new')
    await page.getByText('Another address', { exact: true }).click()
    await page.getByLabel('URL', { exact: true }).fill('http://localhost:9/ledger')
    await page.getByLabel('Description').fill(ledger)
    await page.getByLabel('Reason', { exact: true }).fill(why)
    await page.getByRole('button', { name: 'Add endpoint' }).click()
    const secret = page.getByLabel('Signing secret')
    const first = await secret.innerText()
    await copySecret(page)
    await page.getByRole('link', { name: 'Go to the endpoint' }).click()
    await act(page, 'Mark as deployed')
    await expect(page.getByText('Has the new secret been deployed?')).toBeHidden()

    await act(page, 'Replace')
    await expect(page.getByText('The second endpoint was made')).toBeVisible()
    // The secret stays visible while the page keeps updating.
    await page.waitForTimeout(1_500)
    expect(await secret.innerText()).not.toBe(first)
    await copySecret(page)
    await page.getByRole('link', { name: 'the page of the second endpoint' }).click()
    await expect(page.getByText('This endpoint is to replace another one.')).toBeVisible()
    await act(page, 'It is deployed')
    await expect(page.getByText('This endpoint is to replace another one.')).toBeHidden()
    await page.goto('/endpoints')
    await expect(page.getByRole('link', { name: ledger })).toHaveCount(1)
  })

  test('shows each request that arrived, and who changed what', async ({ page }) => {
    test.slow()
    const uuid = await createEndpoint(page.request, 'Watched closely')
    const { url } = (await endpointsAtService()).find((one) => one.uuid === uuid) ?? { url: '' }
    await sendEvent()
    await fetch(url, { method: 'POST', headers: { authorization: 'API-Key knock' }, body: '{}' })
    const requests = page.locator('#requests')
    await openOnceItSays(page, `/endpoints/${uuid}`, '401</span> Wrong secret')
    await expect(requests.getByText('200 delivered').first()).toBeVisible()
    await expect(requests.getByText('401 Wrong secret')).toBeVisible()
    await requests.getByRole('link', { name: /^Failed/ }).click()
    await expect(requests.getByText('200 delivered')).toHaveCount(0)
    await expect(requests.getByText('401 Wrong secret')).toBeVisible()
    await expect(page.getByText('Endpoint created')).toBeVisible()
    await expectWhole(page, 'endpoint-requests')
    await askBehindItsBack('DELETE', uuid)
  })

  test('opens a replay of what an endpoint elsewhere missed while it was off', async ({ page }) => {
    test.slow()
    const there = await createElsewhere(page, 'Slept through it')
    await act(page, 'Mark as deployed')
    await act(page, 'Disable')
    await expect(page.getByText('This endpoint is disabled.')).toBeVisible()
    await expect(page.getByText('Disabled by Demo Admin')).toBeVisible()
    await sendEvent()
    const missed = page.getByRole('link', { name: /^Send what it missed since/ })
    await openOnceItSays(page, `/endpoints/${there}`, 'Send what it missed')
    await expect(missed).toBeVisible()
    await expectWhole(page, 'endpoint-missed')
    await missed.click()
    await expect(page.getByRole('heading', { name: 'Send them to “Slept through it”' })).toBeVisible()
    await expect(page.getByLabel('Address', { exact: true })).toHaveValue('http://localhost:9/ledger')
    await expect(page.getByText('Only each event’s first delivery.')).toBeVisible()
    await askBehindItsBack('DELETE', there)
  })

  test('ticks nothing beforehand for an endpoint that gets only some events, and says what is lost here', async ({
    page,
  }) => {
    test.slow()
    await page.goto('/endpoints/new')
    await page.getByText('Only some', { exact: true }).click()
    await expect(page.getByText('Tick those that it needs.')).toBeVisible()
    await expect(page.getByRole('checkbox', { checked: true })).toHaveCount(0)
    await page.getByText('This dashboard', { exact: true }).click()
    await page.getByRole('checkbox', { name: /^KYC/ }).check()
    await expect(page.getByText('transactions from fiat to stablecoin do not appear')).toBeVisible()
    await expectWhole(page, 'endpoint-new-some')
  })

  // A change can end in each of these states, and the page offers one click for it. Each answers the endpoint.
  const ends = {
    'a replacement whose last step failed': {
      begin: async (page) => {
        const url = 'http://localhost:9/half-replaced'
        const endpointUuid = await createEndpoint(page.request, 'Half replaced', url)
        const form = { endpointUuid, url, reason: why }
        const second = endpointIn(await callAction(page.request, 'replaceEndpointAction', form))
        await page.goto(`/endpoints/${second}`)
        await expect(page.getByText('This endpoint is to replace another one.')).toBeVisible()
        await strike({ ...calls, kind: 'fail', status: 503, method: 'DELETE', next: 1 })
        await act(page, 'It is deployed')
        await expect(page.getByRole('alertdialog').getByRole('alert')).toBeVisible()
        return second
      },
      says: 'The endpoint that this one replaces was not deleted yet.',
      click: 'It is deployed',
    },
    'a rotation by somebody else': {
      begin: async (page) => {
        const uuid = await createEndpoint(page.request, 'Rotated elsewhere')
        await askBehindItsBack('PATCH', `${uuid}/secret`)
        // The endpoint looks as if it was created an hour ago and has received nothing since. Deliveries of other tests
        // arrive here too.
        await inDatabase(
          `UPDATE receiver SET updated_at = updated_at - interval '1 hour', last_delivery_at = last_delivery_at - interval '1 hour'
           WHERE endpoint_uuid = $1`,
          [uuid],
        )
        await sendEvent()
        return uuid
      },
      says: 'Its deliveries carry a wrong secret.',
      click: 'Repair',
    },
    'a public address that changed': {
      begin: async (page) => {
        const uuid = await createEndpoint(page.request, 'Left behind')
        const { url } = (await endpointsAtService()).find((one) => one.uuid === uuid) ?? { url: '' }
        await askBehindItsBack('PATCH', uuid, { url: url.replace('http://localhost', 'https://old.example') })
        return uuid
      },
      says: 'This endpoint points at an earlier address of this dashboard.',
      click: 'Repair',
    },
  } satisfies Record<string, { begin: (page: Page) => Promise<string>; says: string; click: string }>

  for (const [what, { begin, says, click }] of Object.entries(ends)) {
    // Another test opens the other two buttons, in `fresh-forms.spec.ts`.
    const tag = what === 'a rotation by somebody else' ? [] : ['@slow']
    test(`repairs ${what} by one click`, { tag }, async ({ page }) => {
      const uuid = await begin(page)
      await openOnceItSays(page, `/endpoints/${uuid}`, says)
      await openAlerts(page)
      const callout = page.getByRole('note').filter({ hasText: says })
      await act(page, click, callout)
      await expect(page.getByRole('alertdialog')).toBeHidden()
      await expect(callout).toBeHidden()
      expect(await (await page.request.get(`/endpoints/${uuid}`)).text()).not.toContain(says)
      // The endpoint would receive every later event too.
      await askBehindItsBack('DELETE', uuid)
    })
  }

  test('repairs a creation elsewhere whose answer was lost, and then a rotation, by one click each', async ({
    page,
  }) => {
    await loseAnswer('POST')
    await page.goto('/endpoints/new')
    await page.getByText('Another address', { exact: true }).click()
    await page.getByLabel('URL', { exact: true }).fill('http://localhost:9/ledger')
    await page.getByLabel('Description').fill(madeUnseen)
    await page.getByLabel('Reason', { exact: true }).fill(why)
    await page.getByRole('button', { name: 'Add endpoint' }).click()
    await expect(page.getByText('The endpoint may have been created all the same.')).toBeVisible()

    const says = 'Nobody has seen the secret of this endpoint.'
    const callout = page.getByRole('note').filter({ hasText: says })
    const path = await pathOf(madeUnseen)
    await openOnceItSays(page, path, says)
    await loseAnswer('PATCH')
    await act(page, 'Rotate secret', callout)
    await expect(page.getByText('The secret may have been rotated')).toBeVisible()
    await openOnceItSays(page, path, says)
    await act(page, 'Rotate secret', callout)
    // A page that refreshes itself has no such alert any more, and the secret is in its dialog.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await page.waitForTimeout(1_500)
    await copySecret(page)
    await page.getByRole('button', { name: 'Close' }).click()
    await act(page, 'Mark as deployed')
    await expect(page.getByRole('alertdialog')).toBeHidden()
    await expect(callout).toBeHidden()
    expect(await (await page.request.get(path)).text()).not.toContain(says)
    await askBehindItsBack('DELETE', path.slice(-36))
  })
})

test('an admin who signed in long ago signs in again to delete an endpoint, and loses nothing of what was typed', {
  tag: '@slow',
}, async ({ page }) => {
  await joinTheTeam(page, 'Patient Admin')
  const uuid = await createEndpoint(page.request, 'Not wanted')
  await page.goto(`/endpoints/${uuid}`)
  await page.getByRole('button', { name: 'Delete…' }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByLabel('Reason', { exact: true }).fill(why)
  await dialog.getByLabel('To confirm').fill('Not wanted')
  await ageSignIn('Patient Admin')
  await renderAgain(page, 'Patient Admin')
  await expect(dialog.getByLabel('Reason', { exact: true })).toHaveValue(why)
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(dialog.getByText('You need to sign in again first.')).toBeVisible()
  expect((await endpointsAtService()).map((one) => one.uuid)).toContain(uuid)

  await signInInNewTab(page, dialog.getByRole('link', { name: 'Sign in again' }))
  await expect(page).toHaveURL(/\/endpoints$/)
  expect((await endpointsAtService()).map((one) => one.uuid)).not.toContain(uuid)
})

test('an endpoint that somebody else has changed meanwhile is not changed, also when the page has heard of it', async ({
  page,
}) => {
  await joinTheTeam(page, 'Slow Admin')
  await createElsewhere(page, 'Changed by two')
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Change…' }).click()
  await dialog.getByText('Only some', { exact: true }).click()
  await dialog.getByRole('checkbox', { name: /^KYC/ }).check()
  await dialog.getByLabel('Reason', { exact: true }).fill(why)
  await askBehindItsBack('PATCH', page.url().slice(-36), { subscribed_events: ['fiatToCrypto'] })
  await renderAgain(page, 'Slow Admin')
  await dialog.getByRole('button', { name: 'Change', exact: true }).click()
  await expect(dialog.getByText('Somebody else has changed this meanwhile.')).toBeVisible()
})

test('nothing closes a dialog while its action is under way, so the secret that it shows once is not lost', async ({
  page,
}) => {
  await joinTheTeam(page, 'Hasty Admin')
  await createElsewhere(page, 'Rotated in haste')
  const dialog = page.getByRole('alertdialog')
  await page.getByRole('button', { name: 'Rotate secret…' }).first().click()
  await dialog.getByLabel('Reason', { exact: true }).fill(why)
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(page.url(), async (route) => {
    if (route.request().method() === 'POST') await promise
    await route.continue()
  })
  await dialog.getByRole('button', { name: 'Rotate secret', exact: true }).click()
  await expect(page.locator('[aria-busy=true]', { hasText: 'Rotate secret' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeDisabled()
  resolve()
  await expect(dialog.getByLabel('Signing secret')).toBeVisible()
  await copySecret(page)
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
})

test('an admin creates, rotates and deletes an endpoint with the keyboard alone', async ({ page }) => {
  await joinTheTeam(page, 'Typing Endpoints')
  const dialog = page.getByRole('alertdialog')
  await page.goto('/endpoints')
  await press(page.getByRole('main').getByRole('link', { name: 'Add endpoint' }).first())
  await pick(page.getByRole('radio', { name: 'Another address' }))
  await type(page.getByLabel('URL', { exact: true }), 'http://localhost:9/typed')
  await type(page.getByLabel('Description'), 'Typed by keys')
  await type(page.getByLabel('Reason', { exact: true }), why)
  await press(page.getByRole('button', { name: 'Add endpoint' }))
  await press(page.getByRole('button', { name: 'Copy secret' }))
  await expect(page.locator('[data-copied]')).toBeVisible()
  await press(page.getByRole('link', { name: 'Go to the endpoint' }))
  await press(page.getByRole('button', { name: 'Mark as deployed…' }))
  await press(dialog.getByRole('button', { name: 'Mark as deployed', exact: true }))
  await expect(dialog).toBeHidden()
  await press(page.getByRole('button', { name: 'Rotate secret…' }).first())
  await type(dialog.getByLabel('Reason', { exact: true }), why)
  await press(dialog.getByRole('button', { name: 'Rotate secret', exact: true }))
  await press(dialog.getByRole('button', { name: 'Copy secret' }))
  await expect(dialog.locator('[data-copied]')).toBeVisible()
  await press(dialog.getByRole('button', { name: 'Close' }))
  await press(page.getByRole('button', { name: 'Delete…' }))
  await type(dialog.getByLabel('Reason', { exact: true }), why)
  await type(dialog.getByLabel('To confirm'), 'Typed by keys')
  await press(dialog.getByRole('button', { name: 'Delete', exact: true }))
  await expect(page).toHaveURL(/\/endpoints$/)
})

test('an admin removes another, and rotates the secret that they saw, with the keyboard alone', async ({
  page,
  browser,
  baseURL,
}) => {
  const theirs = await browser.newContext(baseURL ? { baseURL } : {})
  const leaver = await theirs.newPage()
  // Each try needs its own name, because the member of the first try is still in the team.
  const name = `Departing ${Date.now()}`
  await joinTheTeam(leaver, name)
  await createEndpoint(leaver.request, `Known to ${name}`, 'http://localhost:9/known')
  await joinTheTeam(page, 'Staying Admin')
  const dialog = page.getByRole('alertdialog')
  await page.goto('/team')
  await press(page.getByRole('link', { name }))
  await press(page.getByRole('button', { name: 'Remove…' }))
  await type(dialog.getByLabel('Reason', { exact: true }), why)
  await type(dialog.getByLabel('To confirm'), name)
  await press(dialog.getByRole('button', { name: 'Remove', exact: true }))
  await expect(page.getByText('This person is not in the team any more')).toBeVisible()
  const known = page.getByRole('listitem').filter({ hasText: `Known to ${name}` })
  await expect(known).toContainText('Saw its secret')
  await expectWhole(page, 'member-left')
  await press(known.getByRole('button', { name: 'Rotate secret…' }))
  await type(dialog.getByLabel('Reason', { exact: true }), why)
  await press(dialog.getByRole('button', { name: 'Rotate secret', exact: true }))
  await press(dialog.getByRole('button', { name: 'Copy secret' }))
  await expect(dialog.locator('[data-copied]')).toBeVisible()
  await press(dialog.getByRole('button', { name: 'Close' }))
  await expect(known).not.toContainText('Saw its secret')
  await expect(known).toContainText('Created it')
  await theirs.close()
})

const calls = { path: '/merchant/webhook-endpoints' }

const loseAnswer = (method: string) => strike({ ...calls, kind: 'drop_answer', method, next: 1 })

/** The function creates an endpoint that delivers elsewhere, opens its page, and answers its uuid. */
async function createElsewhere(page: Page, description: string): Promise<string> {
  const uuid = await createEndpoint(page.request, description, 'http://localhost:9/ledger')
  await page.goto(`/endpoints/${uuid}`)
  return uuid
}

/** The service has an endpoint with this description, at whose page the dashboard may not have arrived yet. */
async function pathOf(description: string): Promise<string> {
  const sql = 'SELECT uuid FROM webhook_endpoint WHERE description = $1'
  const [row] = (await inDatabase(sql, [description], 'sandbox')) as { uuid: string }[]
  return `/endpoints/${row?.uuid}`
}

/** Until the secret is copied, the page asks before it is left. */
async function copySecret(page: Page) {
  await page.getByRole('button', { name: 'Copy secret' }).click()
  await expect(page.locator('[data-copied]')).toBeVisible()
}

/** The function opens an action's dialog, gives a reason where the dialog asks for one, and confirms. */
async function act(page: Page, label: string, where: Page | Locator = page) {
  await where.getByRole('button', { name: `${label}…` }).click()
  const dialog = page.getByRole('alertdialog')
  await expect(dialog.getByRole('button', { name: label, exact: true })).toBeVisible()
  const reason = dialog.getByLabel('Reason', { exact: true })
  if (await reason.isVisible()) await reason.fill(why)
  await dialog.getByRole('button', { name: label, exact: true }).click()
}
