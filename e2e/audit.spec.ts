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

test('changed settings stand in the audit with their reasons and with what was before', async ({ page }) => {
  test.slow()
  const dialog = page.getByRole('alertdialog')
  const change = async (label: string, reason: string, fill: () => Promise<unknown>) => {
    await page.getByRole('button', { name: `${label}…` }).click()
    await fill()
    await dialog.getByLabel('Reason', { exact: true }).fill(reason)
    await dialog.getByRole('button', { name: label }).click()
    await expect(dialog).toBeHidden()
  }
  const card = (title: string) => page.locator('section').filter({ hasText: title })
  await page.goto('/settings')

  await test.step('what customers see', async () => {
    for (const [contact, shown] of [
      ['help@demo.test', 'help@demo.test'],
      ['', 'None'],
    ] as const) {
      await change('Change brand', 'support has moved', () =>
        dialog.getByLabel('Support contact').fill(contact),
      )
      await expect(card('What customers see')).toContainText(shown)
    }
  })

  await test.step('how long personal data is kept', async () => {
    for (const [days, shown] of [
      ['3650', 'KYC3,650 days'],
      ['', 'of events is kept for good'],
    ] as const) {
      await change('Change retention', 'the law says so', () =>
        dialog.getByLabel('KYC, days', { exact: true }).fill(days),
      )
      await expect(card('Retention of personal data')).toContainText(shown)
    }
  })

  await test.step('the rules that protect people', async () => {
    for (const [pattern, shown] of [
      ['.{3,}', '.{3,}'],
      ['', 'Free text'],
    ] as const) {
      await change('Change rules', 'as agreed with legal', () =>
        dialog.getByLabel('Reason for reveals').fill(pattern),
      )
      await expect(card('Accounts and personal data')).toContainText(shown)
    }
  })

  await test.step('share tokens, which can be made while they are on', async () => {
    const share = (on: boolean) =>
      change('Change rules', 'a partner asks for them', () =>
        dialog.getByLabel('KYC share tokens').selectOption(String(on)),
      )
    await share(true)
    const open = page.getByRole('button', { name: 'Make a share token…' })
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
    await share(false)
    await expect(open).toHaveCount(0)
  })

  await page.goto('/audit?action=settings.')
  const entry = (text: string) => page.getByRole('row').filter({ hasText: text }).first()
  for (const reason of ['support has moved', 'the law says so', 'as agreed with legal'])
    await expect(entry(reason)).toContainText('Settings changed')
  await expect(entry('Support contact: none → help@demo.test')).toContainText('support has moved')
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
