import type { Page } from '@playwright/test'
import { inDatabase } from './database.ts'
import { press } from './keyboard.ts'
import {
  addVirtualAuthenticator,
  ageSignIn,
  expect,
  expectAccessible,
  expectComplaint,
  expectLive,
  expectWhole,
  joinTheTeam,
  setSession,
  signInInNewTab,
  signOut,
  test,
  tolerateComplaint,
} from './test.ts'

/** The tests cover passkeys, the lock over idle pages, and ended sessions, with Chromium's virtual authenticator. */

// The tests run one after the other. Each creates its own person, who is found by name.
test.describe.configure({ mode: 'default' })

const why = 'a test wants it'

/** Open pages check their session, as after a sign-in in another tab. */
const haveItCheck = (page: Page) =>
  page.evaluate(() => {
    const channel = new BroadcastChannel('rampart-signed-in')
    channel.postMessage(null)
    channel.close()
  })

async function addPasskey(page: Page, name: string) {
  await page.goto('/profile')
  await page.getByRole('button', { name: 'Add a passkey…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name of this passkey').fill(name)
  await dialog.getByRole('button', { name: 'Create passkey' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByText(name)).toBeVisible()
}

test('a security key that can keep no passkey is told apart from a refusal, and what it needs is said', async ({
  page,
}) => {
  await joinTheTeam(page, 'Unable Admin')
  await page.goto('/profile')
  const dialog = page.getByRole('dialog')
  for (const able of [
    { hasUserVerification: false, isUserVerified: false },
    { hasResidentKey: false },
    { protocol: 'u2f', hasResidentKey: false, hasUserVerification: false },
  ] as const) {
    const device = await addVirtualAuthenticator(page, { transport: 'usb', ...able })
    await page.getByRole('button', { name: 'Add a passkey…' }).click()
    await dialog.getByLabel('Name of this passkey').fill('Old key')
    await dialog.getByRole('button', { name: 'Create passkey' }).click()
    await expect(dialog.getByText(/A security key needs a PIN.*U2F-only keys/)).toBeVisible()
    if (Object.keys(able).length === 1) await expectAccessible(page)
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
    await device.send('WebAuthn.disable')
  }
})

test('a passkey is added, signs in, confirms in place and unlocks the page', async ({ page }) => {
  await addVirtualAuthenticator(page)
  await joinTheTeam(page, 'Passkey Admin')

  await test.step('is added under a name', async () => {
    await addPasskey(page, 'Work laptop')
    await expectAccessible(page)
  })

  await test.step('is given another name', async () => {
    await page.getByRole('button', { name: 'Rename…' }).click()
    const dialog = page.getByRole('alertdialog')
    await expect(dialog.getByLabel('Name of this passkey')).toHaveValue('Work laptop')
    await expectAccessible(page)
    await dialog.getByLabel('Name of this passkey').fill('Desk')
    await dialog.getByRole('button', { name: 'Rename' }).click()
    await expect(dialog).toBeHidden()
    await expect(page.getByText('Desk', { exact: true })).toBeVisible()
  })

  await test.step('signs in', async () => {
    const answered = page.waitForResponse((response) => response.url().endsWith('/api/sign-out'))
    await signOut(page)
    expect(await (await answered).headerValue('clear-site-data')).toBe('"cache", "storage"')
    await page.goBack()
    // The router writes its address when it starts, which `goBack` may take for the end of the way back.
    await page.waitForURL(/\/sign-in\?next=%2Fprofile/)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await expect(page).toHaveURL(/\/(overview|profile)/)
  })

  await test.step('is asked for before anything is typed, when the sign-in is old', async () => {
    await ageSignIn('Passkey Admin')
    await page.goto('/endpoints/new')
    await expect(page.getByText('Confirm first that it is you.')).toBeVisible()
    await expect(page.getByLabel('Description')).toHaveCount(0)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Use your passkey' }).click()
    await expect(page.getByLabel('Description')).toBeVisible()
  })

  // The test does not create an endpoint, because that call could take the answer that another test drops.
  await test.step('is asked for in the form, when the sign-in grows old meanwhile', async () => {
    // One name cannot be invited twice.
    const name = `Typed ${crypto.randomUUID().slice(0, 8)}`
    await page.goto('/team')
    await page.getByRole('button', { name: 'Invite…' }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByLabel('Name', { exact: true }).fill(name)
    await dialog.getByLabel('Reason', { exact: true }).fill(why)
    await ageSignIn('Passkey Admin')
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
    await expect(page.getByText('You need to sign in again first.')).toBeVisible()
    await page.getByRole('button', { name: 'Use your passkey' }).click()
    await expect(dialog.getByText(`${name} is invited`)).toBeVisible()
  })

  await test.step('unlocks a page that was not used, which keeps what was typed', async () => {
    await page.goto('/endpoints/new')
    await page.getByLabel('Description').fill('Half a sentence')
    await setSession(
      'Passkey Admin',
      `last_seen_at = now() - interval '29 minutes', idle_expires_at = now() + interval '90 seconds'`,
    )
    await haveItCheck(page)
    await expect(page.getByText(/^Locked in \d:/)).toBeVisible()
    await expectWhole(page, 'lock-announced')
    await page.keyboard.press('Shift')
    await expect(page.getByText(/^Locked in \d:/)).toBeHidden()

    await setSession('Passkey Admin', `idle_expires_at = now() + interval '2 seconds'`)
    await haveItCheck(page)
    const locked = page.getByRole('dialog', { name: 'Locked' })
    await expect(locked).toBeVisible()
    await expectWhole(page, 'locked')
    await expect(page.getByLabel('Description')).toBeHidden()
    await expect(locked.getByRole('button', { name: 'Unlock with your passkey' })).toBeFocused()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await expect(locked).toBeVisible()
    await expect(page.getByLabel('Description')).not.toBeFocused()
    await press(locked.getByRole('button', { name: 'Unlock with your passkey' }))
    await expect(locked).toBeHidden()
    await expect(page.getByLabel('Description')).toHaveValue('Half a sentence')
    await expect(page.getByLabel('Description')).toBeFocused()
    await expectLive(page)
  })
})

test('a locked page is unlocked by the usual sign-in of the same person, and by nobody else', async ({
  page,
}) => {
  await joinTheTeam(page, 'Patient Member', 'support')
  await page.goto('/transactions')
  await page.getByRole('searchbox', { name: 'Search', exact: true }).fill('nothing-like-this')
  await expect(page.getByText('nothing-like-this').first()).toBeVisible()
  // A delivery of another test may reload the list in the second in which the session ends.
  tolerateComplaint(page, 401, '/api/search')
  const lock = async () => {
    await setSession('Patient Member', `idle_expires_at = now() + interval '1 second'`)
    await haveItCheck(page)
    await expect(page.getByRole('dialog', { name: 'Locked' })).toBeVisible()
  }

  await test.step('which is hidden also while what lies over it does not come', async () => {
    expectComplaint(page, 503, /^\/_next\/static\//)
    await page.route('**/_next/static/**/*.js', (route) => route.fulfill({ status: 503 }))
    await setSession('Patient Member', `idle_expires_at = now() + interval '1 second'`)
    await haveItCheck(page)
    await expect(page.getByText('What you typed is kept; sign in again')).toBeVisible()
    await expect(page.getByRole('link', { name: 'Sign in again in a new tab' })).toBeVisible()
    await expect(page.getByRole('searchbox')).toHaveCount(0)
    await page.unroute('**/_next/static/**/*.js')
  })

  await test.step('by the same', async () => {
    await expect(page.getByRole('dialog', { name: 'Locked' })).toBeVisible({ timeout: 15_000 })
    await signInInNewTab(page, page.getByRole('link', { name: /in a new tab$/ }))
    await expect(page.getByRole('dialog', { name: 'Locked' })).toBeHidden()
    await expect(page.getByRole('searchbox', { name: 'Search', exact: true })).toHaveValue(
      'nothing-like-this',
    )
  })

  await test.step('by another, who sees nothing of it', async () => {
    await lock()
    expectComplaint(page, 403, /^\/transactions/)
    await inDatabase(
      `UPDATE session SET user_uuid = (SELECT user_uuid FROM person WHERE email = 'ana@demo.test'),
              member_id = NULL, role = 'end-user', idle_expires_at = now() + interval '1 hour', last_seen_at = now()
       WHERE ended_at IS NULL AND user_uuid IN (SELECT user_uuid FROM member WHERE name = 'Patient Member')`,
    )
    await haveItCheck(page)
    await expect(page.getByText('nothing-like-this')).toHaveCount(0)
    await expect(page.getByRole('searchbox')).toHaveCount(0)
    await expect(page.getByRole('dialog', { name: 'Locked' })).toHaveCount(0)
  })
})

test('an admin gives a role, ends sessions and removes a member, whose open page is over within a second', async ({
  page,
  browser,
  baseURL,
}) => {
  // A second try uses another colleague.
  const leaving = `Leaving Member ${Date.now()}`
  const theirs = await browser.newContext(baseURL ? { baseURL } : {})
  const member = await theirs.newPage()
  await joinTheTeam(member, leaving, 'support')
  await joinTheTeam(page, 'Team Admin')
  await member.goto('/transactions')
  await expectLive(member)

  await page.goto('/team')
  await page.getByRole('link', { name: leaving }).press('Enter')
  await expect(page.getByRole('heading', { name: leaving })).toBeVisible()
  await expectAccessible(page)

  await test.step('ends their session', async () => {
    await page.getByRole('button', { name: 'End…' }).press('Enter')
    await page.getByLabel('Reason', { exact: true }).fill(why)
    const reloaded = member.waitForRequest((request) => request.isNavigationRequest()).then(() => Date.now())
    await page.getByRole('button', { name: 'End', exact: true }).press('Enter')
    // A busy machine may draw the next page much later.
    const left = await reloaded
    const [ended] = await inDatabase(
      'SELECT max(ended_at) AS at FROM session WHERE user_uuid = (SELECT user_uuid FROM member WHERE name = $1)',
      [leaving],
    )
    const passed = left - (ended as { at: Date }).at.getTime()
    expect(passed, 'ms from the end to the request').toBeLessThanOrEqual(3_000)
    await expect(member).toHaveURL(/\/sign-in/)
    await expect(page.getByText('None.', { exact: true })).toBeVisible()
  })

  await test.step('changes their role', async () => {
    await page.getByRole('button', { name: 'Change role…' }).press('Enter')
    await page.getByLabel('Role', { exact: true }).selectOption('auditor')
    await page.getByLabel('Reason', { exact: true }).fill(why)
    await page.getByRole('button', { name: 'Change role', exact: true }).press('Enter')
    await expect(page.getByText(/^Auditor:/)).toBeVisible()
  })

  await test.step('removes them', async () => {
    await page.getByRole('button', { name: 'Remove…' }).press('Enter')
    await page.getByLabel('Reason', { exact: true }).fill(why)
    await page.getByLabel('To confirm').fill(leaving)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Remove', exact: true }).press('Enter')
    await expect(page.getByText('This person is not in the team any more')).toBeVisible()
  })

  await test.step('is told of it, as all admins are', async () => {
    await page.getByRole('link', { name: /^Notices/ }).click()
    const notice = page.getByRole('listitem').filter({
      hasText: `Team Admin removed ${leaving} (Auditor) from the team.`,
    })
    await expect(notice).toContainText('New')
    await page.getByRole('button', { name: 'Mark all as read' }).click()
    // Only this entry is checked, because others may arrive meanwhile.
    await expect(notice).not.toContainText('New')
  })
  await theirs.close()
})
