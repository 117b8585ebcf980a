import type { Locator } from '@playwright/test'
import { addVirtualAuthenticator, ageSignIn, expect, expectWhole, joinTheTeam, test } from './test.ts'

/** What staff do each day, without a mouse: every control is reached by Tab, can be seen there, and is used by keys. */

const why = 'a test wants it'

test('an admin adds a passkey, signs in by it, invites somebody and removes them, with the keyboard alone', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(180_000)
  await addVirtualAuthenticator(page)
  await joinTheTeam(page, 'Typing Admin')
  await page.goto('/profile')

  await test.step('adds a passkey', async () => {
    await press(page.getByRole('button', { name: 'Add a passkey…' }))
    await type(page.getByLabel('Name of this passkey'), 'Laptop')
    await expectWhole(page, 'profile-add-passkey')
    await press(page.getByRole('button', { name: 'Create passkey' }))
    await expect(page.getByRole('dialog')).toBeHidden()
  })

  await test.step('signs out and in again', async () => {
    await press(page.getByRole('button', { name: /account and appearance/ }))
    await press(page.getByRole('button', { name: 'Sign out' }))
    await page.waitForURL(/\/sign-in/)
    await press(page.getByRole('button', { name: 'Sign in with a passkey' }))
    await page.waitForURL(/\/(transactions|profile)/)
  })

  const link = await test.step('invites somebody, confirming first who it is', async () => {
    await ageSignIn('Typing Admin')
    await page.goto('/team')
    await press(page.getByRole('button', { name: 'Invite…' }))
    const dialog = page.getByRole('alertdialog')
    await expectWhole(page, 'team-invite-confirm-first')
    await press(dialog.getByRole('button', { name: 'Use your passkey' }))
    await type(dialog.getByLabel('Name', { exact: true }), 'Typed Member')
    await choose(dialog.getByLabel('Role'), 'Auditor')
    await type(dialog.getByLabel('Why'), why)
    await expectWhole(page, 'team-invite')
    await press(dialog.getByRole('button', { name: 'Invite', exact: true }))
    const shown = await dialog.getByLabel('Invitation link').innerText()
    await expectWhole(page, 'team-invited')
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
    return shown
  })

  await test.step('they open the link and set up their sign-in', async () => {
    const theirs = await (await browser.newContext(baseURL ? { baseURL } : {})).newPage()
    await addVirtualAuthenticator(theirs)
    await theirs.goto(link)
    await expectWhole(theirs, 'set-up-link')
    await press(theirs.getByRole('button', { name: 'Open the link' }))
    await expect(theirs.getByLabel('Name of this passkey')).toBeVisible()
    await expectWhole(theirs, 'set-up')
    await type(theirs.getByLabel('Name of this passkey'), 'Phone')
    await press(theirs.getByRole('button', { name: 'Create passkey' }))
    await theirs.waitForURL(/\/(transactions|audit|overview)/)
    await expectWhole(theirs, 'first-page-of-an-auditor')
    await theirs.context().close()
  })

  await test.step('gives them another role and removes them', async () => {
    await page.reload()
    await press(page.getByRole('link', { name: 'Typed Member' }))
    await expect(page.getByRole('heading', { name: 'Typed Member' })).toBeVisible()
    await press(page.getByRole('button', { name: 'Change role…' }))
    await choose(page.getByLabel('Role', { exact: true }), 'Support')
    await type(page.getByLabel('Why'), why)
    await press(page.getByRole('button', { name: 'Change role', exact: true }))
    await expect(page.getByText(/^Support:/)).toBeVisible()
    await press(page.getByRole('button', { name: 'Remove…' }))
    const dialog = page.getByRole('alertdialog')
    await type(dialog.getByLabel('Why'), why)
    await type(dialog.getByLabel(/To confirm, type/), 'Typed Member')
    await expectWhole(page, 'member-remove')
    await press(dialog.getByRole('button', { name: 'Remove', exact: true }))
    await expect(dialog).toBeHidden()
  })

  await test.step('reads what all admins are told', async () => {
    await press(page.getByRole('link', { name: /^Notices/ }))
    await press(page.getByRole('button', { name: 'Mark as seen' }))
    await expect(page.getByRole('link', { name: 'Notices', exact: true })).toBeVisible()
  })
})

test('an admin looks after people, settings and the audit with the keyboard alone', async ({ page }) => {
  test.setTimeout(180_000)
  await joinTheTeam(page, 'Steady Admin')
  const email = `typed.${Date.now()}@demo.test`

  await test.step('adds a person', async () => {
    await page.goto('/users')
    await press(page.getByRole('link', { name: 'Add one' }))
    await type(page.getByLabel('E-mail', { exact: true }), email)
    await type(page.getByLabel('First name'), 'Typed')
    await type(page.getByLabel('Last name'), 'Person')
    await choose(page.getByLabel('Country'), 'Spain')
    await expectWhole(page, 'user-new-filled')
    await press(page.getByRole('button', { name: 'Add', exact: true }))
    await page.waitForURL(/\/users\/[0-9a-f-]{36}$/)
    await expect(page.getByRole('heading', { name: 'Typed Person' })).toBeVisible()
  })

  await test.step('notes the merchant’s own number, and finds the person by it', async () => {
    await type(page.getByLabel('Your own number'), email)
    await page.keyboard.press('Enter')
    await expect(page.getByText('Saved: people find it by this.')).toBeVisible()
    await page.goto('/users')
    await type(page.getByLabel('Find people'), email)
    await press(page.getByRole('link', { name: email }))
    await expect(page.getByRole('heading', { name: 'Typed Person' })).toBeVisible()
  })

  await test.step('reaches the choice of a file to import', async () => {
    await page.goto('/users/import')
    await reach(page.getByLabel('CSV file'))
  })

  await test.step('erases the person', async () => {
    await page.goBack()
    await press(page.getByRole('button', { name: 'Erase…' }))
    const dialog = page.getByRole('alertdialog')
    await type(dialog.getByLabel('Why'), why)
    await type(dialog.getByLabel(/To confirm, type/), email)
    await expectWhole(page, 'user-erase')
    await press(dialog.getByRole('button', { name: 'Erase', exact: true }))
    await expect(page.getByRole('heading', { name: /^This person was erased/ })).toBeVisible()
    await expectWhole(page, 'user-erased')
  })

  await test.step('saves the settings and finds the erasure in the audit', async () => {
    await page.goto('/settings')
    await reach(page.getByLabel('Support contact'))
    await page.keyboard.press('Enter')
    await expect(page.getByText('Saved.')).toBeVisible()
    await press(page.getByRole('link', { name: 'Audit', exact: true }).first())
    await type(page.getByLabel('Who', { exact: true }), 'Steady Admin')
    await press(page.getByRole('button', { name: 'Show', exact: true }))
    await expect(page.getByRole('row').filter({ hasText: 'Person erased' }).first()).toBeVisible()
    await press(page.getByRole('button', { name: 'Verify now' }))
    await expect(page.getByText('Nothing was changed, removed or put in')).toBeVisible()
  })
})

test('support finds a transaction and sees a whole account number with the keyboard alone', async ({
  page,
}) => {
  await joinTheTeam(page, 'Typing Agent', 'support')
  await page.goto('/transactions?direction=fiatToCrypto&step=SUCCESS')
  await press(page.locator('main a[href^="/transactions/"]:visible').first())
  await page.waitForURL(/\/transactions\/[0-9a-f-]{36}/)
  await press(page.getByRole('button', { name: 'Show whole' }))
  await press(page.getByRole('button', { name: 'The customer asks' }))
  await expect(page.getByRole('button', { name: 'The customer asks' })).toHaveCount(0)
  await press(page.locator('summary').filter({ hasText: 'Does this match?' }))
  await type(page.getByLabel('What the customer says'), 'nobody of this name')
  await page.keyboard.press('Enter')
  await expect(page.getByText('No, it does not match')).toBeVisible()
})

/** Presses Tab until the focus is there; it can be seen where the focus is. */
async function reach(target: Locator) {
  await expect(target).toBeVisible()
  const page = target.page()
  for (let presses = 0; presses < 150; presses++) {
    if (await target.evaluate((element) => element === document.activeElement)) {
      expect(await target.evaluate(isSeen), `the focus is seen on ${target}`).toBe(true)
      return
    }
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${target}`)
}

/** Whether a ring shows the focus: around the element, around its row, or around the field that it is part of. */
const isSeen = (element: Element): boolean =>
  [
    getComputedStyle(element),
    getComputedStyle(element, '::before'),
    getComputedStyle(element.parentElement ?? element),
  ].some(({ outlineStyle, outlineWidth }) => outlineStyle !== 'none' && outlineWidth !== '0px')

async function press(target: Locator) {
  await reach(target)
  await target.page().keyboard.press('Enter')
}

/** Writes over what stands in a field. */
async function type(field: Locator, text: string) {
  await reach(field)
  await field.page().keyboard.press('ControlOrMeta+A')
  await field.page().keyboard.type(text)
}

/** Chooses in a list by the first letters of the choice. */
async function choose(list: Locator, text: string) {
  await reach(list)
  await list.page().keyboard.type(text)
  await expect(list.locator('option:checked')).toContainText(text)
}
