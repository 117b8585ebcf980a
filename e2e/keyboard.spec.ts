import { generatePrivateKey } from 'viem/accounts'
import { choose, pick, press, reach, type } from './keyboard.ts'
import { newestCode } from './sandbox.ts'
import { addVirtualAuthenticator, ageSignIn, expect, expectWhole, joinTheTeam, test } from './test.ts'
import { injectWallet } from './wallet.ts'

/** People do this work each day, here without a mouse. */

const why = 'a test wants it'

test('an admin adds a passkey, signs in by it, invites somebody and removes them, with the keyboard alone', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(300_000)
  // A second try needs another name, because the first try invited its person already.
  const name = `Typed ${crypto.randomUUID().slice(0, 8)}`
  await addVirtualAuthenticator(page)
  await joinTheTeam(page, 'Typing Admin')
  await page.goto('/profile')

  await test.step('adds a passkey', async () => {
    await press(page.getByRole('button', { name: 'Add a passkey…' }))
    await type(page.getByLabel('Name of this passkey'), 'Laptop')
    await press(page.getByRole('button', { name: 'Create passkey' }))
    await expect(page.getByRole('dialog')).toBeHidden()
  })

  await test.step('signs out and in again', async () => {
    await press(page.getByRole('button', { name: /account and appearance/ }))
    await press(page.getByRole('button', { name: 'Sign out' }))
    await page.waitForURL(/\/sign-in/)
    await press(page.getByRole('button', { name: 'Sign in with a passkey' }))
    await page.waitForURL(/\/(overview|profile)/)
  })

  const link = await test.step('invites somebody, confirming first who it is', async () => {
    await ageSignIn('Typing Admin')
    await page.goto('/team')
    await press(page.getByRole('button', { name: 'Invite…' }))
    const dialog = page.getByRole('alertdialog')
    await expectWhole(page, 'team-invite-confirm-first', [390])
    await press(dialog.getByRole('button', { name: 'Use your passkey' }))
    await type(dialog.getByLabel('Name', { exact: true }), name)
    await choose(dialog.getByLabel('Role'), 'Auditor')
    await type(dialog.getByLabel('Reason', { exact: true }), why)
    await expectWhole(page, 'team-invite')
    await press(dialog.getByRole('button', { name: 'Invite', exact: true }))
    const shown = await dialog.getByLabel('Invitation link').innerText()
    await expectWhole(page, 'team-invited', [390])
    await press(dialog.getByRole('button', { name: 'Copy link' }))
    await expect(dialog.locator('[data-copied]')).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
    return shown
  })

  await test.step('they open the link and set up their sign-in', async () => {
    const theirs = await (await browser.newContext(baseURL ? { baseURL } : {})).newPage()
    await addVirtualAuthenticator(theirs)
    await theirs.goto(link)
    await press(theirs.getByRole('button', { name: 'Open the link' }))
    await expect(theirs.getByLabel('Name of this passkey')).toBeVisible()
    await expectWhole(theirs, 'set-up', [390])
    await type(theirs.getByLabel('Name of this passkey'), 'Phone')
    await press(theirs.getByRole('button', { name: 'Create passkey' }))
    await theirs.waitForURL(/\/(transactions|audit|overview)/)
    await theirs.context().close()
  })

  await test.step('gives them another role and removes them', async () => {
    await page.reload()
    await press(page.getByRole('link', { name: name }))
    await expect(page.getByRole('heading', { name: name })).toBeVisible()
    await press(page.getByRole('button', { name: 'Change role…' }))
    await choose(page.getByLabel('Role', { exact: true }), 'Support')
    await type(page.getByLabel('Reason', { exact: true }), why)
    await press(page.getByRole('button', { name: 'Change role', exact: true }))
    await expect(page.getByText(/^Support:/)).toBeVisible()
    await press(page.getByRole('button', { name: 'Remove…' }))
    const dialog = page.getByRole('alertdialog')
    await type(dialog.getByLabel('Reason', { exact: true }), why)
    await type(dialog.getByLabel(/To confirm, type/), name)
    await press(dialog.getByRole('button', { name: 'Remove', exact: true }))
    await expect(dialog).toBeHidden()
  })

  await test.step('reads what all admins are told', async () => {
    await press(page.getByRole('link', { name: /^Notices/ }))
    // Other tests add invitations all the time.
    const removed = page.getByRole('listitem').filter({ hasText: `removed ${name}` })
    await expect(removed).toContainText('New')
    await press(page.getByRole('button', { name: 'Mark all as read' }))
    await expect(removed).not.toContainText('New')
  })
})

test('an admin looks after people, settings and the audit with the keyboard alone', async ({ page }) => {
  test.setTimeout(300_000)
  await joinTheTeam(page, 'Steady Admin')
  const email = `typed.${Date.now()}@demo.test`
  const dialog = page.getByRole('alertdialog')
  let person = ''

  await test.step('adds a person', async () => {
    await page.goto('/users')
    await press(page.getByRole('link', { name: 'Add person' }))
    await type(page.getByLabel('E-mail', { exact: true }), email)
    await type(page.getByLabel('First name'), 'Typed')
    await type(page.getByLabel('Last name'), 'Person')
    await choose(page.getByLabel('Country'), 'Spain')
    await press(page.getByRole('button', { name: 'Add', exact: true }))
    await page.waitForURL(/\/users\/[0-9a-f-]{36}$/)
    await expect(page.getByRole('heading', { name: 'Typed Person' })).toBeVisible()
    person = page.url()
  })

  await test.step('notes the merchant’s own number, and finds the person by it', async () => {
    await type(page.getByLabel('Your customer number'), email)
    await page.keyboard.press('Enter')
    await expect(page.getByText('Saved: people find it by this.')).toBeVisible()
    await page.goto('/users')
    await type(page.getByLabel('Find people'), email)
    await expect(page).toHaveURL(/\/users\?search=/)
    await press(page.getByRole('link', { name: email }))
    await expect(page.getByRole('heading', { name: 'Typed Person' })).toBeVisible()
  })

  await test.step('erases the person', async () => {
    await page.goto(person)
    await press(page.getByRole('button', { name: 'Erase…' }))
    await type(dialog.getByLabel('Reason', { exact: true }), why)
    await type(dialog.getByLabel(/To confirm, type/), email)
    await expectWhole(page, 'user-erase')
    await press(dialog.getByRole('button', { name: 'Erase', exact: true }))
    await expect(page.getByRole('heading', { name: /^This person was erased/ })).toBeVisible()
    await expectWhole(page, 'user-erased', [1440])
  })

  await test.step('is told that no setting was changed, and finds the erasure in the audit', async () => {
    await page.goto('/settings')
    await press(page.getByRole('button', { name: 'Change brand…' }))
    await type(dialog.getByLabel('Reason', { exact: true }), why)
    await expectWhole(page, 'settings-brand')
    await press(dialog.getByRole('button', { name: 'Change brand' }))
    await expect(dialog.getByText('Nothing to change.')).toBeVisible()
    await press(dialog.getByRole('button', { name: 'Cancel' }))
    await expect(dialog).toBeHidden()
    await press(page.getByRole('link', { name: 'Audit', exact: true }).first())
    await type(page.getByLabel('Who', { exact: true }), 'Steady Admin')
    await press(page.getByRole('button', { name: 'Show', exact: true }))
    await expect(page.getByRole('row').filter({ hasText: 'Erasing a person' }).first()).toBeVisible()
    // The result depends on the test that forges a row.
    await reach(page.getByRole('button', { name: 'Verify now' }))
  })

  await test.step('exports the audit', async () => {
    const opener = page.getByRole('button', { name: 'Export CSV…' })
    await press(opener)
    await expect(dialog).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
    await expect(opener, 'gets the focus back').toBeFocused()
    await press(opener)
    await type(dialog.getByLabel('Reason', { exact: true }), why)
    const download = page.waitForEvent('download')
    await press(dialog.getByRole('button', { name: 'Export CSV', exact: true }))
    expect((await download).suggestedFilename()).toMatch(/\.csv$/)
  })
})

test('an admin imports a person and sends deliveries again with the keyboard alone', {
  tag: '@slow',
}, async ({ page }) => {
  await joinTheTeam(page, 'Patient Admin')
  const email = `imported.${Date.now()}@demo.test`

  await test.step('imports a person', async () => {
    // The wait begins early, because the browser may take the key before it knows that a test waits.
    const chooser = page.waitForEvent('filechooser')
    await page.goto('/users/import')
    await reach(page.getByLabel('CSV file'))
    await page.keyboard.press('Enter')
    const csv = `email,first_name,last_name,country\n${email},Imported,Person,ES\n`
    await (await chooser).setFiles({ name: 'one.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) })
    await press(page.getByRole('button', { name: 'Check it' }))
    await press(page.getByRole('button', { name: 'Import 1' }))
    await type(page.getByRole('alertdialog').getByLabel('Reason', { exact: true }), 'the customers of before')
    await press(page.getByRole('alertdialog').getByRole('button', { name: 'Import 1' }))
    await expect(page.getByText('1 of 1 imported')).toBeVisible()
  })

  await test.step('sends stored deliveries again', async () => {
    await page.goto('/replays/new')
    await choose(page.getByLabel('Type', { exact: true }), 'Fiat to stablecoin')
    await press(page.getByRole('button', { name: 'Preview' }))
    await expect(page.getByText(/deliveries match$/)).toBeVisible()
    await pick(page.getByRole('radio', { name: 'Into this dashboard' }))
    await type(page.getByLabel('Reason', { exact: true }), why)
    await press(page.getByRole('button', { name: /^Send all/ }))
    await expect(page).toHaveURL(/\/replays\/[0-9a-f-]{36}$/)
  })
})

test('an admin withdraws an invitation with the keyboard alone', async ({ page }) => {
  await joinTheTeam(page, 'Thorough Admin')
  const dialog = page.getByRole('alertdialog')
  // One name cannot be invited twice.
  const name = `Nobody ${crypto.randomUUID().slice(0, 8)}`

  await test.step('withdraws an invitation', async () => {
    await page.goto('/team')
    await press(page.getByRole('button', { name: 'Invite…' }))
    await type(dialog.getByLabel('Name', { exact: true }), name)
    await type(dialog.getByLabel('Reason', { exact: true }), why)
    await press(dialog.getByRole('button', { name: 'Invite', exact: true }))
    await expect(dialog.getByLabel('Invitation link')).toBeVisible()
    await page.keyboard.press('Escape')
    await press(page.getByRole('button', { name: 'Leave without it' }))
    const row = page.getByRole('row').filter({ hasText: name })
    await press(row.getByRole('button', { name: 'Withdraw…' }))
    await press(dialog.getByRole('button', { name: 'Withdraw', exact: true }))
    // A row behind the dialog counts as none.
    await expect(dialog).toBeHidden()
    await expect(row).toHaveCount(0)
  })
})

test('support finds a transaction and sees a whole account number with the keyboard alone', async ({
  page,
}) => {
  await joinTheTeam(page, 'Typing Agent', 'support')
  await page.goto('/transactions?direction=fiatToCrypto&step=SUCCESS')
  await press(page.locator('main a[href^="/transactions/"]:visible').first())
  await page.waitForURL(/\/transactions\/[0-9a-f-]{36}/)
  await press(page.getByRole('button', { name: 'Reveal' }))
  await press(page.getByRole('button', { name: 'The customer asks' }))
  await expect(page.getByRole('button', { name: 'The customer asks' })).toHaveCount(0)
  await press(page.locator('summary').filter({ hasText: 'Verify caller details' }))
  await type(page.getByLabel('Customer’s answer'), 'nobody of this name')
  await page.keyboard.press('Enter')
  await expect(page.getByText('No, it does not match')).toBeVisible()
})

test('a customer signs up with a wallet, and in by it, with the keyboard alone', async ({ page }) => {
  const email = `keys${crypto.randomUUID().slice(0, 8)}@demo.test`
  const since = new Date()
  await injectWallet(page, generatePrivateKey())

  await test.step('signs up', async () => {
    await page.goto('/sign-up')
    await type(page.getByLabel('E-mail'), email)
    await type(page.getByLabel('First name'), 'Typed')
    await type(page.getByLabel('Last name'), 'Customer')
    await choose(page.getByLabel('Country'), 'Spain')
    await press(page.getByRole('button', { name: 'Use Test Wallet' }))
    await press(page.getByRole('button', { name: /^Sign with 0x/ }))
    await expect(page.getByText('signed in Test Wallet')).toBeVisible()
    await press(page.getByRole('button', { name: 'Create account' }))
    await type(page.getByLabel('Code', { exact: true }), (await newestCode(email, since)) ?? '')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/\/account$/)
  })

  await test.step('signs out, and in by the wallet', async () => {
    await press(page.getByRole('button', { name: /account and appearance/ }))
    await press(page.getByRole('button', { name: 'Sign out' }))
    await page.waitForURL(/\/sign-in/)
    await press(page.getByRole('button', { name: 'Test Wallet' }))
    await press(page.getByRole('button', { name: 'Sign message' }))
    await expect(page).toHaveURL(/\/account$/)
  })
})
