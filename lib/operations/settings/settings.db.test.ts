import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { openListener } from '#lib/platform/db/listen.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { env } from '#lib/platform/env.ts'
import { NotAllowed, SignInAgain } from '#lib/platform/refusals.ts'
import {
  keepRows,
  keepSettingRow,
  readSettings,
  SettingsSchema,
  settingsChannel,
  settingsKey,
} from '#lib/platform/settings/settings.ts'
import { auditReason } from '../../../test/audit-reason.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import {
  BrandSchema,
  brandNames,
  changeSettings,
  RetentionSchema,
  RulesSchema,
  saveBrand,
  saveRetention,
  saveRules,
  seenOf,
} from './settings-forms.ts'

const admin = callerWith('admin')
const reason = 'a law that wants it'
const browser = newBrowser()
let database: TestConfiguration

beforeAll(async () => {
  database = await startDatabase({ PUBLIC_URL: 'https://dash.example' })
})
beforeEach(() =>
  pool().query(`DELETE FROM setting WHERE key = 'settings'; DELETE FROM audit; DELETE FROM admin_notice`),
)
afterAll(() => database.stop())

const entries = async () => (await pool().query('SELECT action, actor, details FROM audit')).rows

it('has defaults until they are changed', async () => {
  expect(await readSettings()).toEqual({
    merchantName: 'dash.example',
    mark: null,
    legalName: null,
    supportContact: null,
    verificationUrl: null,
    publicSignUp: false,
    revealTicketPattern: null,
    ticketAddress: null,
    retentionDays: {},
    logMonths: {},
    kycShareToken: false,
  })
})

it('changes the named settings, keeps the rest, and records the old values', async () => {
  await changeSettings(admin, { merchantName: 'Demo Merchant', retentionDays: { KYC: 90 } }, browser)
  await changeSettings(admin, { supportContact: 'help@merchant.example' }, browser)
  const settings = await changeSettings(admin, { merchantName: null }, browser)
  expect(settings).toEqual(await readSettings())
  expect(settings).toMatchObject({
    merchantName: 'dash.example',
    supportContact: 'help@merchant.example',
    retentionDays: { KYC: 90 },
  })
  expect(await entries()).toEqual([
    {
      action: 'settings.change',
      actor: admin.id,
      details: {
        before: { merchantName: 'dash.example', retentionDays: '{}' },
        after: { merchantName: 'Demo Merchant', retentionDays: '{"KYC":90}' },
      },
    },
    expect.objectContaining({
      details: { before: { supportContact: null }, after: { supportContact: 'help@merchant.example' } },
    }),
    expect.objectContaining({
      details: { before: { merchantName: 'Demo Merchant' }, after: { merchantName: 'dash.example' } },
    }),
  ])
})

it('refuses an unchanged form, and records nothing', async () => {
  await expect(changeSettings(admin, { publicSignUp: false }, browser)).rejects.toThrow('Nothing to change.')
  const brand = { merchantName: '', mark: '', supportContact: '', reason }
  const seen = seenOf(await readSettings(), brandNames)
  const save = (form: object) => saveBrand(admin, BrandSchema.parse({ ...brand, ...form }), browser)
  await expect(save({ seen })).rejects.toThrow('Nothing to change.')
  await expect(saveRetention(admin, RetentionSchema.parse({ reason }), browser)).rejects.toThrow(
    'Nothing to change.',
  )
  expect(await entries()).toEqual([])
  // A form still counts as a change when somebody else made the same one meanwhile.
  await save({ merchantName: 'First', seen })
  await save({ merchantName: 'First', seen })
  expect(await entries()).toHaveLength(1)
})

it('keeps two concurrent changes', async () => {
  await Promise.all([
    changeSettings(admin, { merchantName: 'Demo Merchant' }, browser),
    changeSettings(admin, { publicSignUp: true }, browser),
  ])
  expect(await readSettings()).toMatchObject({ merchantName: 'Demo Merchant', publicSignUp: true })
})

it('refuses the second of two changes to the same setting, and overwrites nothing', async () => {
  const seen = seenOf(await readSettings(), brandNames)
  const save = (merchantName: string, supportContact: string, shown: string) =>
    saveBrand(
      admin,
      BrandSchema.parse({ merchantName, mark: '', supportContact, reason, seen: shown }),
      browser,
    )
  await save('First', '', seen)
  await expect(save('Second', '', seen)).rejects.toThrow('Somebody else has changed this meanwhile.')
  expect((await readSettings()).merchantName).toBe('First')
  await save('Third', '', seenOf(await readSettings(), brandNames))
  expect((await readSettings()).merchantName).toBe('Third')
})

it('keeps both of two changes to different settings', async () => {
  const seen = seenOf(await readSettings(), brandNames)
  const save = (merchantName: string, supportContact: string, shown: string) =>
    saveBrand(
      admin,
      BrandSchema.parse({ merchantName, mark: '', supportContact, reason, seen: shown }),
      browser,
    )
  await save('dash.example', 'help@merchant.example', seen)
  // The form of the second admin still shows no contact.
  await save('Demo Merchant', '', seen)
  expect(await readSettings()).toMatchObject({
    merchantName: 'Demo Merchant',
    supportContact: 'help@merchant.example',
  })
})

it('is for admins alone', async () => {
  for (const role of ['support', 'auditor', 'end-user'] as const)
    await expect(changeSettings(callerWith(role), { publicSignUp: true }, browser)).rejects.toThrow(
      NotAllowed,
    )
  expect(await readSettings()).toMatchObject({ publicSignUp: false })
})

it('uses the default for a stored value of another shape', async () => {
  await pool().query(`INSERT INTO setting VALUES ('settings', $1)`, [
    { merchantName: 7, publicSignUp: 'yes', supportContact: 'help@merchant.example' },
  ])
  expect(await readSettings()).toMatchObject({
    merchantName: 'dash.example',
    publicSignUp: false,
    supportContact: 'help@merchant.example',
  })
})

it('is cached in the server until it changes', async () => {
  const listener = openListener(env().databaseDirectUrl)
  keepRows(listener)
  try {
    const [first, second] = [readSettings(), readSettings()]
    expect(first).toBe(second)
    expect((await readSettings()).merchantName).toBe('dash.example')
    // Another server changes the setting.
    await keepSettingRow(pool(), settingsKey, { merchantName: 'Elsewhere' })
    await expect
      .poll(async () => {
        await pool().query('SELECT pg_notify($1, $2)', [settingsChannel, ''])
        return (await readSettings()).merchantName
      })
      .toBe('Elsewhere')
  } finally {
    await listener.close()
    globalThis.rampartLastSettingChange = undefined
  }
})

it('has a change at once in the process that made it, however late the notification', async () => {
  const listener = openListener(env().databaseDirectUrl)
  keepRows(listener)
  await listener.close()
  try {
    await readSettings()
    await changeSettings(admin, { merchantName: 'Here' }, browser)
    expect((await readSettings()).merchantName).toBe('Here')
  } finally {
    globalThis.rampartLastSettingChange = undefined
  }
})

it.each([
  ['a page', 'data:text/html;base64,AAAA', false],
  ['an address', 'https://evil.example/mark.png', false],
  ['an image that is too large', `data:image/png;base64,${'A'.repeat(40_000)}`, false],
  ['a small image', 'data:image/png;base64,iVBORw0KGgo=', true],
])('a mark must be a small image: %s', (_what, mark, fits) => {
  expect(SettingsSchema.shape.mark.safeParse(mark).success).toBe(fits)
})

it('the form of retention keeps named days, and events for ever where it is empty', async () => {
  const form = RetentionSchema.parse({ KYC: '90', AML: '', otherEvents: '30', reason })
  await saveRetention(admin, form, browser)
  expect((await readSettings()).retentionDays).toEqual({ KYC: 90, otherEvents: 30 })
  await saveRetention(admin, RetentionSchema.parse({ KYC: '', reason }), browser)
  expect((await readSettings()).retentionDays).toEqual({})
  for (const wrong of ['0', '1.5', 'x', '99999'])
    expect(RetentionSchema.safeParse({ KYC: wrong, reason }).success).toBe(false)
  expect(RetentionSchema.safeParse({ KYC: '90', reason: '' }).success).toBe(false)
})

it('a rule of retention is recorded with its reason, and every admin is told', async () => {
  await saveRetention(admin, RetentionSchema.parse({ KYC: '90', reason }), browser)
  const { rows: audited } = await pool().query(`SELECT action, ${auditReason} FROM audit`)
  expect(audited).toEqual([{ action: 'settings.change', reason }])
  const { rows: notices } = await pool().query('SELECT kind, actor, reason FROM admin_notice')
  expect(notices).toEqual([{ kind: 'retention-changed', actor: admin.id, reason }])
})

it('a rule that protects people is recorded with its reason, and every admin is told once', async () => {
  const rules = {
    publicSignUp: 'true',
    revealTicketPattern: '',
    ticketAddress: '',
    kycShareToken: 'true',
    verificationUrl: '',
  }
  expect(RulesSchema.safeParse({ ...rules, reason: '' }).success).toBe(false)
  await saveRules(admin, RulesSchema.parse({ ...rules, reason }), browser)
  const change = {
    before: { publicSignUp: false, kycShareToken: false },
    after: { publicSignUp: true, kycShareToken: true },
  }
  const { rows: audited } = await pool().query(`SELECT action, ${auditReason}, details FROM audit`)
  expect(audited).toEqual([{ action: 'settings.change', reason, details: change }])
  const { rows: notices } = await pool().query('SELECT kind, actor, reason FROM admin_notice')
  expect(notices).toEqual([{ kind: 'rules-changed', actor: admin.id, reason }])
  const stale = callerWith('admin', { signedInAt: new Date(Date.now() - 16 * 60_000).toISOString() })
  await expect(saveRules(stale, RulesSchema.parse({ ...rules, reason }), browser)).rejects.toThrow(
    SignInAgain,
  )
})

it('the contact for customers is recorded with its reason, and every admin is told once', async () => {
  const brand = { merchantName: 'Demo Merchant', mark: '', supportContact: 'help@merchant.example' }
  expect(BrandSchema.safeParse({ ...brand, reason: '' }).success).toBe(false)
  await saveBrand(admin, BrandSchema.parse({ ...brand, reason }), browser)
  const { rows: audited } = await pool().query(`SELECT action, ${auditReason} FROM audit`)
  expect(audited).toEqual([{ action: 'settings.change', reason }])
  const { rows: notices } = await pool().query('SELECT kind, actor, reason FROM admin_notice')
  expect(notices).toEqual([{ kind: 'brand-changed', actor: admin.id, reason }])
})

it('keeps the legal name and address for receipts, also when a form does not have the field', async () => {
  const brand = { merchantName: 'Demo Merchant', mark: '', supportContact: 'help@merchant.example', reason }
  const legalName = 'Demo Merchant GmbH, Hauptstraße 1, 10115 Berlin'
  await saveBrand(admin, BrandSchema.parse({ ...brand, legalName }), browser)
  await saveBrand(admin, BrandSchema.parse({ ...brand, merchantName: 'Demo' }), browser)
  expect(await readSettings()).toMatchObject({ legalName, merchantName: 'Demo' })
  await saveBrand(admin, BrandSchema.parse({ ...brand, legalName: '' }), browser)
  expect(await readSettings()).toMatchObject({ legalName: null })
})

it.each([
  ['http://verify.example', false],
  ['javascript:alert(1)', false],
  ['https://verify.example/start', true],
])('customers verify themselves only at an address with https: %s', (address, fits) => {
  expect(SettingsSchema.shape.verificationUrl.safeParse(address).success).toBe(fits)
})

it('refuses an invalid pattern', () => {
  const isPattern = (text: string) => SettingsSchema.shape.revealTicketPattern.safeParse(text).success
  for (const text of ['^HELP-\\d+$', '(HELP|OPS)-[0-9]{1,6}', '^\\p{Lu}{2,}\\-\\u0031'])
    expect(isPattern(text), text).toBe(true)
  // No engine with bounded time supports the second list.
  for (const text of ['(', '(?=a)b', '(?<!a)b', '(a)\\1', '((a{30}){30}){30}'])
    expect(isPattern(text), text).toBe(false)
})
