import crypto from 'node:crypto'
import type { Page } from '@playwright/test'
import { rampartUrl } from './addresses.ts'
import { createEndpoint } from './call-action.ts'
import { inDatabase } from './database.ts'
import { freshForms, pagesOfExports } from './fresh-forms.ts'
import {
  askBehindItsBack,
  createUserAtService,
  endpointsAtService,
  madeUpAddress,
  sendEvent,
  userUuidOf,
} from './sandbox.ts'
import { ageSignIn, expect, joinTheTeam, openAlerts, test } from './test.ts'

test('every form that wants a fresh sign-in asks for it before anything is typed', async ({ page }) => {
  await expectAsked(page, (path) => !pagesOfExports.has(path))
})

test('… and so does each other export', { tag: '@slow' }, async ({ page }) => {
  await expectAsked(page, (path) => pagesOfExports.has(path))
})

async function expectAsked(page: Page, isWanted: (path: string) => boolean) {
  test.slow()
  // Each try needs its own name, because the member of the first try is still in the team.
  const name = `Aged ${Date.now()}`
  await joinTheTeam(page, name)
  const ids = await prepareThings(page, name)
  await ageSignIn(name)
  const pages = Map.groupBy(
    Object.entries(freshForms).flatMap(([action, forms]) =>
      forms.map(([path, label]) => ({ action, path, label })),
    ),
    ({ path }) => path,
  )
  const silent: string[] = []
  for (const [path, forms] of pages) {
    if (!isWanted(path)) continue
    await page.goto(path.replace(/:(\w+)/, (_all, kind: string) => ids[kind] ?? kind))
    await openAlerts(page)
    for (const [label, of] of Map.groupBy(forms, (form) => form.label))
      if (!(await asks(page, label))) silent.push(`${of.map(({ action }) => action)}: ${path} ${label ?? ''}`)
  }
  expect(silent).toEqual([])
}

/** The answer is true when the form asks for a sign-in and shows no field. A dialog is closed again. */
async function asks(page: Page, label: string | null): Promise<boolean> {
  const questions = page.getByText('Confirm first that it is you.').filter({ visible: true })
  const before = label === null ? 0 : await questions.count()
  // The button of a list item has hidden words that name the item, after its label.
  const button = page.getByRole('button', { name: new RegExp(`^${label}`) }).first()
  const checked = expect(async () => {
    if (label !== null && (await questions.count()) === before) await button.click({ timeout: 5_000 })
    await expect(questions).toHaveCount(before + 1, { timeout: 5_000 })
    await expect(page.locator('[name=reason], [name=passkeyName], [name=text]')).toHaveCount(0)
  }).toPass({ timeout: 20_000 })
  const does = await checked.then(
    () => true,
    () => false,
  )
  await page.keyboard.press('Escape')
  return does
}

/** The forms need one thing of each kind. Settings that hide a form are switched on. */
async function prepareThings(page: Page, name: string): Promise<Record<string, string>> {
  const email = `${crypto.randomUUID()}@demo.test`
  const wallet = madeUpAddress()
  await createUserAtService(email, wallet, { date_of_birth: '1990-02-03' })
  const user = await userUuidOf(email)
  await inDatabase(`INSERT INTO person (user_uuid, email, source) VALUES ($1, $2, 'sign-in')`, [user, email])
  const transactions = [crypto.randomUUID(), crypto.randomUUID()]
  for (const transactionUuid of transactions) {
    const senderDetails = { accountDetails: { iban: 'DE89370400440532013000' } }
    const data = { transactionUuid, senderDetails }
    await sendEvent({ type: 'fiatToCrypto', subType: 'PENDING', uuid: user, data })
  }
  const [replay, member] = [crypto.randomUUID(), crypto.randomUUID()]
  const [imported, gap] = [crypto.randomUUID(), crypto.randomUUID()]
  await inDatabase(
    `INSERT INTO replay (id, kind, filter, pace, reason, actor, total, state)
     VALUES ($1, 'fold', '{}', 1, '', '', 0, 'stopped')`,
    [replay],
  )
  await inDatabase(`INSERT INTO member (id, name, role) VALUES ($1, 'A colleague', 'support')`, [member])
  await inDatabase(
    `INSERT INTO user_import (id, file_name, actor, state, total, broken, created)
     VALUES ($1, 'people.csv', '', 'checked', 1, 0, 0)`,
    [imported],
  )
  await inDatabase(
    `INSERT INTO gap (id, kind, about, began_at, ended_at)
     VALUES ($1, 'down', '', now() - interval '30 days', now() - interval '1 second')`,
    [gap],
  )
  await inDatabase(
    `INSERT INTO alert_channel (id, kind, name, place, sealed, key_id)
     VALUES (gen_random_uuid(), 'slack', 'A channel', 'https://hooks.example/…', '', 'none')`,
  )
  await inDatabase(
    `INSERT INTO passkey (id, member_id, credential_id, public_key, counter, name, backed_up)
     SELECT gen_random_uuid(), id, gen_random_uuid()::text, '', 0, 'Phone', false FROM member WHERE name = $1`,
    [name],
  )
  await setSetting('settings', { kycShareToken: true })
  await setSetting('customer-sentences', { pt: { 'steps.fiatToCrypto.ON_HOLD.meaning': 'Em pausa.' } })
  const { request } = page
  const moved = await createEndpoint(request, 'Moved')
  const { url } = (await endpointsAtService()).find(({ uuid }) => uuid === moved) ?? { url: '' }
  await askBehindItsBack('PATCH', moved, { url: url.replace('http://localhost', 'https://old.example') })
  const elsewhere = await createEndpoint(request, 'Elsewhere', 'http://localhost:9/elsewhere')
  const disabled = await createEndpoint(request, 'Disabled', 'http://localhost:9/disabled')
  await askBehindItsBack('PATCH', disabled, { status: 'disabled' })
  const replacing = await createEndpoint(request, 'Replacing', 'http://localhost:9/replacing')
  await inDatabase('UPDATE secret_handoff SET replaces = $2 WHERE endpoint_uuid = $1', [replacing, disabled])
  const transaction = transactions[0] ?? ''
  const pasted = { data: { text: transactions.join('\n') }, headers: { origin: rampartUrl } }
  const { link: lines } = await (await request.post('/api/search', pasted)).json()
  const made = { replay, member, import: imported, gap }
  return { ...made, user, transaction, lines, moved, elsewhere, disabled, replacing }
}

async function setSetting(key: string, value: object) {
  await inDatabase(
    `INSERT INTO setting AS known (key, value) VALUES ($1, $2)
     ON CONFLICT (key) DO UPDATE SET value = known.value || $2`,
    [key, JSON.stringify(value)],
  )
  await inDatabase(`SELECT pg_notify('settings', '')`)
}
