import type { Page } from '@playwright/test'
import { stateOf } from './people.ts'
import { askBehindItsBack, endpointsAtService } from './sandbox.ts'
import {
  expect,
  expectComplaint,
  expectLive,
  expectWhole,
  joinTheTeam,
  setSession,
  signOut,
  test,
} from './test.ts'

/** A person never loses typed text, and always reads what was done. */

test.use({ storageState: stateOf('admin@demo.test') })

/** The stored session is other tests', so whoever signs out or in begins without one. */
const nobody = { cookies: [], origins: [] }

const why = 'a test wants it'

const draftsIn = (page: Page) =>
  page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.startsWith('rampart.draft.')))

test('what was typed into a form survives a reload and a link, until it is discarded', async ({ page }) => {
  test.slow()
  const filled = async () => {
    await expect(page.getByText('Draft restored')).toBeVisible()
    await expect(page.getByLabel('URL', { exact: true })).toHaveValue('https://ledger.example/typed')
    await expect(page.getByLabel('Description')).toHaveValue('Half a sentence')
    await expect(page.getByRole('checkbox', { checked: true })).toHaveCount(1)
    await expect(page.getByRole('checkbox', { name: /^KYC/ })).toBeChecked()
    await expect(page.getByLabel('Reason', { exact: true })).toHaveValue(why)
  }

  await test.step('a reload', async () => {
    await page.goto('/endpoints/new')
    await page.getByText('Another address', { exact: true }).click()
    await page.getByLabel('URL', { exact: true }).fill('https://ledger.example/typed')
    await page.getByLabel('Description').fill('Half a sentence')
    await page.getByText('Only some', { exact: true }).click()
    await page.getByRole('checkbox', { name: /^KYC/ }).check()
    await page.getByLabel('Reason', { exact: true }).fill(why)
    await page.reload()
    await filled()
    await expectWhole(page, 'draft-restored', [390])
  })

  await test.step('a link', async () => {
    await page.getByRole('link', { name: 'Cancel' }).click()
    await expect(page).toHaveURL(/\/endpoints$/)
    await page.getByRole('main').getByRole('link', { name: 'Add endpoint' }).first().click()
    await filled()
  })

  await test.step('until it is discarded', async () => {
    await page.getByRole('button', { name: 'Discard' }).click()
    await expect(page.getByText('Draft restored')).toBeHidden()
    await expect(page.getByLabel('Description')).toHaveValue('')
    await expect(page.getByLabel('Reason', { exact: true })).toHaveValue('')
    await expect(page.getByText('All current and future event types.')).toBeVisible()
    await expect.poll(() => draftsIn(page)).toEqual([])
    await page.reload()
    await expect(page.getByRole('button', { name: 'Add endpoint' })).toBeVisible()
    await expect(page.getByText('Draft restored')).toBeHidden()
  })
})

test('the reason to show what is masked survives a reload, and ends once it was given', async ({ page }) => {
  await page.goto('/transactions?direction=fiatToCrypto&step=SUCCESS')
  await page.locator('main a[href^="/transactions/"]:visible').first().click()
  await page.waitForURL(/\/transactions\/[0-9a-f-]{36}/)
  const form = page.getByRole('form', { name: 'Reveal' })
  await page.getByRole('button', { name: 'Reveal' }).click()
  await form.getByLabel('Another reason, or a ticket').fill(why)
  await page.reload()
  await expectLive(page)
  await page.getByRole('button', { name: 'Reveal' }).click()
  await expect(form.getByText('Draft restored')).toBeVisible()
  await expect(form.getByLabel('Another reason, or a ticket')).toHaveValue(why)
  await form.getByRole('button', { name: 'Reveal' }).click()
  await expect(form).toBeHidden()
  expect(await draftsIn(page)).toEqual([])
})

test.describe('whose session ends', () => {
  test.use({ storageState: nobody })

  test('a dialog keeps what was typed but no secret, and a sign-out ends all of it in every tab', async ({
    page,
  }) => {
    await joinTheTeam(page, 'Leaving Admin')
    const dialog = page.getByRole('alertdialog')
    const other = await page.context().newPage()

    await test.step('a dialog', async () => {
      await page.goto('/team')
      await page.getByRole('button', { name: 'Invite…' }).click()
      await dialog.getByLabel('Name', { exact: true }).fill('Typed Before')
      await dialog.getByLabel('Role', { exact: true }).selectOption('auditor')
      await dialog.getByLabel('Reason', { exact: true }).fill(why)
      await page.reload()
      await expectLive(page)
      await page.getByRole('button', { name: 'Invite…' }).click()
      await expect(dialog.getByText('Draft restored')).toBeVisible()
      await expect(dialog.getByLabel('Name', { exact: true })).toHaveValue('Typed Before')
      await expect(dialog.getByLabel('Role', { exact: true })).toHaveValue('auditor')
      await expect(dialog.getByLabel('Reason', { exact: true })).toHaveValue(why)
    })

    await test.step('no secret', async () => {
      await page.goto('/settings')
      await page.getByRole('button', { name: 'Replace the API key…' }).click()
      await dialog.getByLabel('API key').fill('a-key-that-nobody-may-keep')
      await dialog.getByLabel('Reason', { exact: true }).fill(why)
      await expect.poll(async () => (await draftsIn(page)).length).toBe(2)
      const kept = await page.evaluate(() => JSON.stringify({ ...sessionStorage }))
      expect(kept).toContain(why)
      expect(kept).not.toContain('a-key-that-nobody-may-keep')
    })

    await test.step('a sign-out', async () => {
      await other.goto('/endpoints/new')
      await other.getByLabel('Description').fill('In another tab')
      await expect.poll(async () => (await draftsIn(other)).length).toBe(1)
      await page.goto('/overview')
      await signOut(page)
      expect(await draftsIn(page)).toEqual([])
      await expect(other).toHaveURL(/\/sign-in/)
      expect(await draftsIn(other)).toEqual([])
    })
    await other.close()
  })

  test('a session that somebody ends takes what was typed out of every tab, one that runs out keeps it', async ({
    page,
  }) => {
    const name = `Ended Admin ${crypto.randomUUID().slice(0, 8)}`
    await joinTheTeam(page, name)
    const other = await page.context().newPage()
    for (const tab of [page, other]) {
      await tab.goto('/endpoints/new')
      await tab.getByLabel('Description').fill('Half a sentence')
      await expect.poll(async () => (await draftsIn(tab)).length).toBe(1)
    }

    await test.step('one that runs out', async () => {
      await setSession(name, `idle_expires_at = now() - interval '1 second'`)
      await other.goto('/endpoints/new')
      await expect(other).toHaveURL(/\/sign-in/)
      for (const tab of [page, other]) expect(await draftsIn(tab)).toHaveLength(1)
      await setSession(name, `idle_expires_at = now() + interval '1 hour'`)
      await other.goto('/endpoints/new')
      await expect(other.getByLabel('Description')).toHaveValue('Half a sentence')
    })

    await test.step('one that an admin ends', async () => {
      // The page is inactive while the session ends, and then shows the sign-in page.
      const asleep = await page.context().newPage()
      await asleep.goto('/endpoints/new')
      await asleep.getByLabel('Description').fill('Half a sentence')
      await expect.poll(async () => (await draftsIn(asleep)).length).toBe(1)
      await asleep.goto('/robots.txt')
      await setSession(name, `ended_at = now(), end_reason = 'member-removed'`)
      for (const tab of [page, other]) {
        await expect(tab).toHaveURL(/\/sign-in/)
        await expect.poll(() => draftsIn(tab)).toEqual([])
      }
      expect(await draftsIn(asleep)).toHaveLength(1)
      await asleep.goto('/endpoints/new')
      await expect(asleep).toHaveURL(/\/sign-in/)
      await expect.poll(() => draftsIn(asleep)).toEqual([])
      await asleep.close()
    })
    await other.close()
  })
})

test('a page that is older than the server says so, and has what was typed after the reload', async ({
  page,
}) => {
  const older = page.getByRole('alert').filter({ hasText: 'There is a newer version of this page.' })
  const expectReload = async () => {
    await expect(older).toContainText('what you typed is kept')
    await expect(older).not.toContainText('connection')
    await page.unrouteAll()
    await older.getByRole('button', { name: 'Reload' }).click()
    await expectLive(page)
  }

  await test.step('a form', async () => {
    await page.goto('/endpoints/new')
    await page.getByText('This dashboard', { exact: true }).click()
    await page.getByLabel('Description').fill('Typed before the upgrade')
    await page.getByLabel('Reason', { exact: true }).fill(why)
    await askAsOlderPage(page, '/endpoints/new')
    await page.getByRole('button', { name: 'Add endpoint' }).click()
    await expect(older).toBeVisible()
    await expectReload()
    await expect(page.getByText('Draft restored')).toBeVisible()
    await expect(page.getByLabel('Description')).toHaveValue('Typed before the upgrade')
    await expect(page.getByLabel('Reason', { exact: true })).toHaveValue(why)
  })

  await test.step('a search', async () => {
    await page.goto('/users')
    await expectLive(page)
    await askAsOlderPage(page, '/users')
    await page.getByRole('searchbox', { name: 'Find people' }).fill('ana@demo.test')
    await expectReload()
    await expect(page.getByRole('searchbox', { name: 'Find people' })).toHaveValue('ana@demo.test')
    await expect(page.getByRole('region', { name: 'Found' })).toContainText('ana@demo.test')
  })

  await test.step('an error of the server is no lost connection', async () => {
    await page.goto('/team')
    await page.getByRole('button', { name: 'Invite…' }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByLabel('Name', { exact: true }).fill('Typed Before')
    await dialog.getByLabel('Role', { exact: true }).selectOption('auditor')
    await dialog.getByLabel('Reason', { exact: true }).fill(why)
    expectComplaint(page, 500, '/team')
    await page.route('**/team', (route) =>
      route.request().method() === 'POST' ? route.fulfill({ status: 500, body: '' }) : route.continue(),
    )
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
    await expect(dialog.getByRole('alert')).toContainText('The server answered with an error.')
    await expect(dialog.getByRole('alert')).toContainText('Your connection is fine.')
    await page.unrouteAll()
  })
})

test.describe('before a sign-in, in German', () => {
  test.use({ locale: 'de-DE', storageState: nobody })

  test('a page that is older than the server says so, and what was typed stays until somebody signs in', async ({
    page,
  }) => {
    const older = page.getByRole('alert').filter({ hasText: 'Es gibt eine neuere Version dieser Seite.' })
    const email = page.getByLabel('E-Mail', { exact: true })

    await test.step('the form for an account', async () => {
      // A slow browser runs the page's scripts after somebody has begun to type.
      const { promise, resolve } = Promise.withResolvers<void>()
      await page.route(/\/_next\/static\/.*\.js/, (route) => promise.then(() => route.continue()))
      await page.goto('/sign-up', { waitUntil: 'commit' })
      await email.fill('typed@demo.test')
      await page.getByLabel('Land', { exact: true }).selectOption('ES')
      resolve()
      await page.getByLabel('Vorname').fill('Ana')
      await page.getByLabel('Nachname').fill('Typed')
      await page.waitForFunction(() => 'next' in window)
      await askAsOlderPage(page, '/sign-up')
      await page.getByRole('button', { name: 'Konto anlegen' }).click()
      await expect(older).toContainText('Ihre Eingaben bleiben erhalten.')
      await expectWhole(page, 'older-page-sign-up', [390])
      await page.unrouteAll()
      await older.getByRole('button', { name: 'Neu laden' }).click()
      await expect(page.getByText('Entwurf wiederhergestellt')).toBeVisible()
      await expect(email).toHaveValue('typed@demo.test')
      await expect(page.getByLabel('Vorname')).toHaveValue('Ana')
      await expect(page.getByLabel('Nachname')).toHaveValue('Typed')
      await expect(page.getByLabel('Land', { exact: true })).toHaveValue('ES')
    })

    await test.step('the address for a code', async () => {
      await page.goto('/sign-in')
      await email.fill('typed@demo.test')
      await askAsOlderPage(page, '/sign-in')
      await page.getByRole('button', { name: 'Code senden' }).click()
      await expect(older).toBeVisible()
      await page.unrouteAll()
      await older.getByRole('button', { name: 'Neu laden' }).click()
      await expect(email).toHaveValue('typed@demo.test')
      expect(await draftsIn(page)).toHaveLength(2)
    })

    await test.step('until somebody signs in', async () => {
      await page.getByRole('button', { name: 'Wegwerf-Wallet' }).click()
      await expect(page).toHaveURL(/\/account$/)
      await expect.poll(() => draftsIn(page)).toEqual([])
    })
  })
})

/**
 * The function calls server actions as a page of another build does. This server does not know the id, and its own answer
 * says so.
 */
async function askAsOlderPage(page: Page, path: string) {
  expectComplaint(page, 409, path)
  await changeActions(page, (id) => ({ 'next-action': `${id.slice(0, 2)}${'0'.repeat(40)}` }))
}

/** The function changes the headers of calls to server actions. */
const changeActions = (page: Page, change: (id: string) => Record<string, string>) =>
  page.route('**', async (route) => {
    const headers = await route.request().allHeaders()
    const id = headers['next-action']
    await (id ? route.continue({ headers: { ...headers, ...change(id) } }) : route.fallback())
  })

test('a secret that is shown once is guarded until it was copied', async ({ page }) => {
  test.slow()
  const name = `Guarded ${crypto.randomUUID().slice(0, 8)}`
  await page.goto('/endpoints')
  await page.getByRole('main').getByRole('link', { name: 'Add endpoint' }).first().click()
  await page.getByText('Another address', { exact: true }).click()
  await page.getByLabel('URL', { exact: true }).fill('http://localhost:9/guarded')
  await page.getByLabel('Description').fill(name)
  await page.getByLabel('Reason', { exact: true }).fill(why)
  await page.getByRole('button', { name: 'Add endpoint' }).click()
  const secret = page.getByLabel('Signing secret')
  const asks = page.getByRole('alertdialog', { name: 'Leave without the signing secret?' })

  await test.step('a link asks first', async () => {
    await page.getByRole('link', { name: 'Go to the endpoint' }).click()
    await expect(asks).toBeVisible()
    await expectWhole(page, 'secret-guarded', [390])
    await asks.getByRole('button', { name: 'Stay' }).click()
    await expect(asks).toBeHidden()
    await expect(secret).toBeVisible()
  })

  await test.step('so does the palette', async () => {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('Timeline')
    await page.keyboard.press('Enter')
    await expect(asks).toBeVisible()
    await asks.getByRole('button', { name: 'Stay' }).click()
    await expect(secret).toBeVisible()
  })

  await test.step('so does the way back', async () => {
    await page.evaluate(() => history.back())
    await expect(asks).toBeVisible()
    await asks.getByRole('button', { name: 'Stay' }).click()
    await expect(secret).toBeVisible()
  })

  await test.step('so does a reload', async () => {
    const asked = page.waitForEvent('dialog')
    await page.evaluate(() => setTimeout(() => location.reload(), 0))
    const question = await asked
    expect(question.type()).toBe('beforeunload')
    await question.dismiss()
    await expect(secret).toBeVisible()
  })

  await test.step('nothing asks once it is copied', async () => {
    await page.getByRole('button', { name: 'Copy secret' }).click()
    await expect(page.locator('[data-copied]')).toBeVisible()
    await page.getByRole('link', { name: 'Go to the endpoint' }).click()
    await expect(page.getByRole('heading', { name })).toBeVisible()
    await expect(asks).toBeHidden()
  })

  await test.step('in a dialog, too', async () => {
    const dialog = page.getByRole('alertdialog', { name: /^(Rotate the secret|Rotated)/ })
    await page.getByRole('button', { name: 'Rotate secret…' }).first().click()
    await dialog.getByLabel('Reason', { exact: true }).fill(why)
    await dialog.getByRole('button', { name: 'Rotate secret', exact: true }).click()
    await expect(secret).toBeVisible()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await expect(asks).toBeVisible()
    await asks.getByRole('button', { name: 'Leave without it' }).click()
    await expect(page.getByRole('alertdialog')).toHaveCount(0)
  })
  await askBehindItsBack('DELETE', page.url().slice(-36))
})

test('an error goes when it is mended, and one line says what was done wherever that leads', async ({
  page,
}) => {
  await test.step('an error goes', async () => {
    await page.goto('/users/new')
    await page.getByLabel('E-mail', { exact: true }).fill('ana')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    const wrong = page.getByText('This is not an e-mail address.')
    const missing = page.getByText('Enter a name.')
    await expect(wrong).toBeVisible()
    await expect(missing).toHaveCount(2)
    await page.getByLabel('E-mail', { exact: true }).fill('ana@')
    await expect(wrong).toBeVisible()
    await page.getByLabel('E-mail', { exact: true }).fill('ana@demo.test')
    await expect(wrong).toBeHidden()
    await page.getByLabel('First name').fill('Ana')
    await expect(missing).toHaveCount(1)
    await page.getByLabel('First name').fill(' ')
    await expect(missing).toHaveCount(2)
  })

  await test.step('one line says what was done', async () => {
    const name = `Said ${crypto.randomUUID().slice(0, 8)}`
    const said = page.locator('[data-done-line]')
    await page.goto('/endpoints/new')
    await page.getByText('This dashboard', { exact: true }).click()
    await page.getByLabel('Description').fill(name)
    await page.getByLabel('Reason', { exact: true }).fill(why)
    await page.getByRole('button', { name: 'Add endpoint' }).click()
    await expect(page.getByRole('heading', { name })).toBeVisible()
    await expect(said).toHaveText('Created: the provider delivers here.')
    const uuid = page.url().slice(-36)
    await page.getByRole('button', { name: 'Disable…' }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByLabel('Reason', { exact: true }).fill(why)
    await dialog.getByRole('button', { name: 'Disable', exact: true }).click()
    await expect(said).toHaveText(`“${name}” is disabled.`)
    await expectWhole(page, 'done-line', [1440])
    await expect(said).toHaveText('')
    await askBehindItsBack('DELETE', uuid)
    expect((await endpointsAtService()).map((one) => one.uuid)).not.toContain(uuid)
  })
})
