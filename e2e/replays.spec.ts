import {
  ageSignIn,
  expect,
  expectAccessible,
  expectWhole,
  joinTheTeam,
  signInInNewTab,
  test,
} from './test.ts'

test('an admin whose sign-in has aged sends deliveries again, and loses nothing of what was typed', async ({
  page,
}) => {
  await test.step('becomes an admin', async () => {
    await joinTheTeam(page, 'Replaying Admin')
  })

  await test.step('finds the replays in the navigation, and chooses by names', async () => {
    await page.goto('/overview')
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: /^Endpoints/ })
      .click()
    await page.getByRole('link', { name: 'Replays' }).click()
    await page.getByRole('link', { name: 'Replay webhooks' }).click()
    await expect(page.getByRole('heading', { name: 'Replay webhooks' })).toBeVisible()
    const endpoint = page.getByLabel('Endpoint', { exact: true })
    const ours = await endpoint.getByRole('option', { name: /^Rampart \(this dashboard\)/ }).textContent()
    await endpoint.selectOption(ours)
    await page.getByLabel(/^User/).fill('nobody@demo.test')
    await page.getByRole('button', { name: 'Preview' }).click()
    await expect(page.getByText('The directory knows nobody by this e-mail.')).toBeVisible()
    await page.getByLabel(/^User/).fill('Ana@demo.test')
    await page.getByRole('button', { name: 'Preview' }).click()
    await expect(page.getByText(/deliveries match$/)).toBeVisible()
    await expect(page.getByLabel('Endpoint', { exact: true }).locator('option:checked')).toHaveText(
      ours ?? '',
    )
  })

  await test.step('is asked to sign in again, in a tab that closes itself, and the form goes on', async () => {
    const into = page.getByRole('radio', { name: 'Into this dashboard' })
    // The page has already asked for the age of the sign-in. A sign-in that ages later leaves the form in place.
    await expect(into).toBeVisible()
    await ageSignIn('Replaying Admin')
    await into.check()
    await page.getByLabel('Reason', { exact: true }).fill('a rule was mended')
    await page.getByRole('button', { name: /^Send all/ }).click()
    await expect(page.getByText('You need to sign in again first.')).toBeVisible()
    await expectAccessible(page)
    await signInInNewTab(page, page.getByRole('link', { name: 'Sign in again in a new tab' }))
  })

  await test.step('sees how far it is and what came of each delivery', async () => {
    await expect(page).toHaveURL(/\/replays\/[0-9a-f-]{36}$/)
    await expect(page.getByText('Done', { exact: true })).toBeVisible({ timeout: 30_000 })
    await expect(page.getByText('a rule was mended')).toBeVisible()
    await expect(page.getByText('Rebuilt').first()).toBeVisible()
    await expectWhole(page, 'replay-done')
  })
})

test('a changed filter is previewed before anything is sent, and the preview keeps what was typed', async ({
  page,
}) => {
  await joinTheTeam(page, 'Narrowing Admin')
  await page.goto('/replays/new?type=fiatToCrypto')
  const [address, reason] = [
    page.getByLabel('Address', { exact: true }),
    page.getByLabel('Reason', { exact: true }),
  ]
  const send = page.getByRole('button', { name: /^Send all/ })
  const since = page.getByLabel('Received from (UTC)')
  await address.fill('https://receiver.example/hook')
  await reason.fill('a rule was mended')
  await expect(send).toBeEnabled()
  await since.fill('2020-01-01T00:00')
  await expect(page.getByText('Preview first: the filter was changed.')).toBeVisible()
  await expect(send).toBeDisabled()
  await since.fill('')
  await expect(send).toBeEnabled()
  await since.fill('2020-01-01T00:00')
  await page.reload()
  await expect(since).toHaveValue('2020-01-01T00:00')
  await expect(send).toBeDisabled()
  await page.getByRole('button', { name: 'Preview' }).click()
  await expect(page).toHaveURL(/from=2020-01-01/)
  await expect(send).toBeEnabled()
  await expect(address).toHaveValue('https://receiver.example/hook')
  await expect(reason).toHaveValue('a rule was mended')
})

test('the page to send again asks beforehand who it is when the sign-in is too old, and keeps what was chosen', {
  tag: '@slow',
}, async ({ page }) => {
  await joinTheTeam(page, 'Slow Admin')
  await ageSignIn('Slow Admin')
  await page.goto('/replays/new?type=fiatToCrypto&step=SUCCESS')
  await signInInNewTab(page, page.getByRole('link', { name: 'Sign in again in a new tab' }))
  await expect(page.getByText('Confirm first that it is you.')).toBeHidden()
  await expect(page).toHaveURL('/replays/new?type=fiatToCrypto&step=SUCCESS')
  await expect(page.getByLabel('Type', { exact: true })).toHaveValue('fiatToCrypto')
})
