import { readFile } from 'node:fs/promises'
import { inDatabase } from './database.ts'
import { stateOf } from './people.ts'
import { userUuidOf } from './sandbox.ts'
import { expect, expectWhole, test } from './test.ts'

test.use({ storageState: stateOf('admin@demo.test') })

// A first try may have left a setting as it wanted it, and the second one would have nothing to change.
test.beforeEach(async () => {
  await inDatabase(
    `UPDATE setting SET value = value - '{supportContact,retentionDays,revealTicketPattern,kycShareToken}'::text[]
     WHERE key = 'settings'`,
  )
  await inDatabase(`SELECT pg_notify('settings', '')`)
})

test('a changed setting stands in the audit with what was before, and customers see it', async ({ page }) => {
  const saveContact = async (contact: string, shown: string) => {
    await page.goto('/settings')
    await page.getByRole('button', { name: 'Change brand…' }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByLabel('Support contact').fill(contact)
    await dialog.getByLabel('Reason', { exact: true }).fill('support has moved')
    await dialog.getByRole('button', { name: 'Change brand' }).click()
    await expect(dialog).toBeHidden()
    await expect(page.locator('section').filter({ hasText: 'What customers see' })).toContainText(shown)
  }
  await saveContact('help@demo.test', 'help@demo.test')

  await page.goto('/audit?action=settings.')
  // Other tests change settings at the same time.
  const change = 'Support contact: none → help@demo.test'
  const entry = page.getByRole('row').filter({ hasText: change }).first()
  await expect(entry).toContainText('Settings changed')
  await expect(entry).toContainText('support has moved')

  await saveContact('', 'None')
})

test('how long personal data is kept is changed with a reason, which the audit has', async ({ page }) => {
  await page.goto('/settings')
  const card = page.locator('section').filter({ hasText: 'Retention of personal data' })
  for (const [days, shown] of [
    ['3650', 'KYC3,650 days'],
    ['', 'of events is kept for good'],
  ] as const) {
    await page.getByRole('button', { name: 'Change retention…' }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByLabel('KYC, days', { exact: true }).fill(days)
    await dialog.getByLabel('Reason', { exact: true }).fill('the law says so')
    await dialog.getByRole('button', { name: 'Change retention' }).click()
    await expect(dialog).toBeHidden()
    await expect(card).toContainText(shown)
  }
  await page.goto('/audit?action=settings.')
  const entry = page.getByRole('row').filter({ hasText: 'the law says so' }).first()
  await expect(entry).toContainText('Settings changed')
})

test('the rules that protect people are changed with a reason, which the audit has', async ({ page }) => {
  await page.goto('/settings')
  const card = page.locator('section').filter({ hasText: 'Accounts and personal data' })
  for (const [pattern, shown] of [
    ['.{3,}', '.{3,}'],
    ['', 'Free text'],
  ] as const) {
    await page.getByRole('button', { name: 'Change rules…' }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByLabel('Reason for reveals').fill(pattern)
    await dialog.getByLabel('Reason', { exact: true }).fill('as agreed with legal')
    await dialog.getByRole('button', { name: 'Change rules' }).click()
    await expect(dialog).toBeHidden()
    await expect(card).toContainText(shown)
  }

  for (const state of ['On', 'Off']) {
    await page.getByRole('button', { name: 'Change rules…' }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByLabel('KYC share tokens').selectOption(state === 'On' ? 'true' : 'false')
    await dialog.getByLabel('Reason', { exact: true }).fill('a partner asks for them')
    await dialog.getByRole('button', { name: 'Change rules' }).click()
    await expect(dialog).toBeHidden()
    const open = page.getByRole('button', { name: 'Make a share token…' })
    if (state === 'Off') await expect(open).toHaveCount(0)
    else {
      await open.click()
      await dialog.getByLabel('User ID').fill(await userUuidOf('ana@demo.test'))
      await dialog.getByLabel('Reason', { exact: true }).fill('a partner asks for them')
      await expectWhole(page, 'settings-share-token')
      await dialog.getByRole('button', { name: 'Make a share token' }).click()
      await expect(dialog.getByRole('status', { name: 'Share token' })).toBeVisible()
      await expectWhole(page, 'settings-share-token-made')
      await dialog.getByRole('button', { name: 'Copy token' }).click()
      await expect(dialog.locator('[data-copied]')).toBeVisible()
      await dialog.getByRole('button', { name: 'Close' }).click()
      await expect(dialog).toBeHidden()
    }
  }
  await page.goto('/audit?action=settings.')
  const entry = page.getByRole('row').filter({ hasText: 'as agreed with legal' }).first()
  await expect(entry).toContainText('Settings changed')
})

test('filters stand in the address, and the export holds what they show', async ({ page }) => {
  await page.goto('/audit')
  await page.getByLabel('What', { exact: true }).selectOption('Signing in and out')
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await page.waitForURL(/action=session\./)
  await expect(page.getByRole('row').filter({ hasText: 'Signed in' }).first()).toBeVisible()
  await page.getByRole('button', { name: 'Export CSV…' }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByLabel('Reason', { exact: true }).fill('for a quarter')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Export CSV' }).click(),
  ])
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
  expect(lines.length).toBeGreaterThan(1)
  for (const line of lines.slice(1)) expect(line).toContain(',session.')
  await page.goto('/audit?action=audit.')
  await expect(page.getByRole('row').filter({ hasText: 'Audit exported' }).first()).toContainText(
    'for a quarter',
  )
})

test('what is typed into the filters comes into the address as an id, or not at all', async ({ page }) => {
  await page.goto('/audit')
  await page.getByLabel('About').fill('ana@demo.test')
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await expect(page.getByText('Nothing here is about this.')).toBeVisible()
  expect(page.url()).toMatch(/\/audit$/)
  const uuid = '00000000-0000-4000-8000-000000000000'
  await page.getByLabel('About').fill(uuid)
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await page.waitForURL(`**/audit?about=${uuid}`)
  await expect(page.getByText('Nothing matches')).toBeVisible()
})

test('a forged row is found, and said to whoever looks', async ({ page }) => {
  await page.goto('/audit')
  await page.getByRole('button', { name: 'Verify now' }).click()
  await expect(page.getByText('Audit log intact')).toBeVisible()
  const forged = `(SELECT entry_id FROM audit_link ORDER BY position LIMIT 1)`
  await inDatabase(`UPDATE audit SET reason = 'forged: ' || COALESCE(reason, '') WHERE id = ${forged}`)
  try {
    await page.getByRole('button', { name: 'Verify now' }).click()
    await expect(page.getByText('at position 1 was changed after it was written.')).toBeVisible()
  } finally {
    await inDatabase(`UPDATE audit SET reason = NULLIF(substr(reason, 9), '') WHERE id = ${forged}`)
  }
  await page.getByRole('button', { name: 'Verify now' }).click()
  await expect(page.getByText('Audit log intact')).toBeVisible()
})
