import type { Locator } from '@playwright/test'
import { inDatabase } from './database.ts'
import { newestCode } from './sandbox.ts'
import { expect, expectComplaint, expectWhole, joinTheTeam, setSession, signOut, test } from './test.ts'

test('after five wrong codes a new one is sent by itself', async ({ page }) => {
  expectComplaint(page, 401, '/api/auth/callback/code')
  await page.clock.install()
  await page.goto('/sign-in')
  await page.getByLabel('E-mail', { exact: true }).fill(`${crypto.randomUUID()}@demo.test`)
  await page.getByRole('button', { name: 'Send code' }).click()
  const code = page.getByLabel('Code', { exact: true })
  const refused = page.getByRole('alert').filter({ hasText: 'This code was not accepted.' })
  for (let wrong = 1; wrong <= 5; wrong++) {
    await code.fill(`00000${wrong}`)
    await expect(refused).toBeHidden()
    await code.press('Enter')
    await expect(refused).toBeVisible()
    await expect(code).toHaveValue(`00000${wrong}`)
  }
  await code.press('Enter')
  const dead = page.getByRole('alert').filter({ hasText: 'This code no longer works.' })
  await expect(dead).toContainText(/We send a new one (after|now)/)
  await expect(code).toHaveValue('')
  await expect(code).toBeFocused()
  await expectWhole(page, 'sign-in-dead-code')
  // The half-minute of both sides is over.
  await inDatabase(`DELETE FROM rate_limit WHERE key LIKE 'code-pause%'`)
  await page.clock.fastForward('00:31')
  await expect(page.getByText('a new code is on its way')).toBeVisible()
  await expect(dead).toBeHidden()
  await expect(code).toBeFocused()
})

test('a browser that keeps no cookies is told so, and not sent to sign in again', async ({ page }) => {
  await page.route('**/api/auth/csrf', async (route) => {
    const response = await route.fetch()
    const { 'set-cookie': _removed, ...headers } = response.headers()
    await page.context().clearCookies()
    await route.fulfill({ response, headers })
  })
  await page.goto('/sign-in')
  await page.getByLabel('E-mail', { exact: true }).fill(`${crypto.randomUUID()}@demo.test`)
  await page.getByRole('button', { name: 'Send code' }).click()
  const code = page.getByLabel('Code', { exact: true })
  await code.fill('000001')
  await code.press('Enter')
  await expect(page.getByRole('alert').filter({ hasText: 'keeps no cookies' })).toBeVisible()
  await expect(page).toHaveURL(/\/sign-in/)
})

test('a session that has ended says so, knows whose it was, and leads back', async ({ page }) => {
  await joinTheTeam(page, 'Left Alone', 'support')
  await setSession('Left Alone', `idle_expires_at = now() - interval '1 second'`)
  await page.goto('/timeline?type=KYC')
  await expect(page).toHaveURL(/\/sign-in\?next=/)
  await expect(page.getByText('Your session has ended.')).toBeVisible()
  await expect(page.getByText('you are back where you were')).toBeVisible()
  await expect(page.getByLabel('E-mail', { exact: true })).not.toHaveValue('')
  await expectWhole(page, 'sign-in-session-ended')
  await page.getByRole('button', { name: 'Throw-away wallet' }).click()
  await expect(page).toHaveURL('/timeline?type=KYC')
  await page.goto('/sign-in?again=1&next=/timeline')
  await expect(page.getByText(/^Confirm that you are /)).toBeVisible()
  await expectWhole(page, 'sign-in-again')
})

test('a code that came back is told on the page that waits for it, in a browser that may know', async ({
  page,
}) => {
  test.slow()
  const email = `nobody${crypto.randomUUID().slice(0, 8)}@demo.invalid`
  const since = new Date()
  const bounced = page.getByRole('alert').filter({ hasText: 'The e-mail came back.' })

  await test.step('in which the person has signed up', async () => {
    await page.goto('/sign-up')
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('First name').fill('Comes')
    await page.getByLabel('Last name').fill('Back')
    await page.getByLabel('Country').selectOption('ES')
    await page.getByRole('button', { name: 'Create account' }).click()
    await expectShownSoon(bounced, email)
    await expect(bounced).toContainText(email)
    await expectWhole(page, 'sign-in-bounced')
  })

  await test.step('in which the person has signed in', async () => {
    await page.getByLabel('Code', { exact: true }).fill((await newestCode(email, since)) ?? '')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await expect(page).toHaveURL(/\/account$/)
    await signOut(page)
    await inDatabase(`DELETE FROM rate_limit WHERE key LIKE 'code-pause%'`)
    await page.getByLabel('E-mail', { exact: true }).fill(email)
    await page.getByRole('button', { name: 'Send code' }).click()
    await expect(page.getByLabel('Code', { exact: true })).toBeVisible()
    await expectShownSoon(bounced, email)
  })
})

/** The page must show the bounce within 2 s of the service's message to the server. */
async function expectShownSoon(bounced: Locator, email: string) {
  // `waitFor` answers in the frame that shows the words; `expect` looks up to a second later.
  await bounced.waitFor({ timeout: 15_000 })
  const tooLate = await inDatabase(
    `SELECT round(extract(epoch FROM $2::timestamptz - max(last_received_at)) * 1000)::int AS ms FROM event
     WHERE type = 'otpNotification' AND entity_uuid = (SELECT user_uuid::text FROM person WHERE email = $1)
     HAVING COALESCE($2 - max(last_received_at) > interval '2 seconds', true)`,
    [email, new Date()],
  )
  expect(tooLate, 'how long it took, if longer than it may').toEqual([])
}

for (const path of ['/sign-in', '/sign-up'])
  test(`whatever more of ${path} comes, what is there keeps its place`, async ({ page }) => {
    // The window is higher than either page, so that a page could be centred in it.
    await page.setViewportSize({ width: 1280, height: 1440 })
    await page.goto(path)
    const top = () => page.locator('main > :first-child').evaluate((mark) => mark.getBoundingClientRect().top)
    const before = await top()
    // A slow browser may draw the page before it has received all of it.
    await page.locator('main > :last-child').evaluate((end) => end.remove())
    expect(await top()).toBe(before)
  })

test('a whole invitation link opens in the tab that refused a part of it', async ({ page }) => {
  const open = page.getByRole('button', { name: 'Open the link' })
  await page.goto(`/set-up#${'A'.repeat(20)}`)
  await open.click()
  await expect(page.getByRole('link', { name: 'Sign in' })).toBeVisible()
  await page.goto(`/set-up#${'B'.repeat(43)}`)
  await expect(open).toBeVisible()
})
