import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { openListener } from '#lib/platform/db/listen.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { env } from '#lib/platform/env.ts'
import { NotAllowed, SignInAgain } from '#lib/platform/refusals.ts'
import { keepRows, keepSettingRow, settingsChannel } from '#lib/platform/settings/setting-rows.ts'
import { readSettings, SettingsSchema, settingsKey } from '#lib/platform/settings/settings.ts'
import { auditReason } from '../../../test/audit-reason.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { changeSettings, seenOf } from './change-settings.ts'
import {
  BrandSchema,
  brandNames,
  RetentionSchema,
  RulesSchema,
  saveBrand,
  saveRetention,
  saveRules,
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

it('has defaults until somebody changes them', async () => {
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

it('changes what is named, keeps the rest, and writes down what was before', async () => {
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

it('refuses a form in which nothing was changed, and writes nothing down', async () => {
  await expect(changeSettings(admin, { publicSignUp: false }, browser)).rejects.toThrow('Nothing to change.')
  const brand = { merchantName: '', mark: '', supportContact: '', reason }
  const seen = seenOf(await readSettings(), brandNames)
  const save = (form: object) => saveBrand(admin, BrandSchema.parse({ ...brand, ...form }), browser)
  await expect(save({ seen })).rejects.toThrow('Nothing to change.')
  await expect(saveRetention(admin, RetentionSchema.parse({ reason }), browser)).rejects.toThrow(
    'Nothing to change.',
  )
  expect(await entries()).toEqual([])
  // A form is not without a change because somebody else made the same one meanwhile.
  await save({ merchantName: 'First', seen })
  await save({ merchantName: 'First', seen })
  expect(await entries()).toHaveLength(1)
})

it('two changes at once both stay', async () => {
  await Promise.all([
    changeSettings(admin, { merchantName: 'Demo Merchant' }, browser),
    changeSettings(admin, { publicSignUp: true }, browser),
  ])
  expect(await readSettings()).toMatchObject({ merchantName: 'Demo Merchant', publicSignUp: true })
})

it('of two who change the same without seeing it, the second is told, and overwrites nothing', async () => {
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

it('of two who change different things, each keeps what the other has changed', async () => {
  const seen = seenOf(await readSettings(), brandNames)
  const save = (merchantName: string, supportContact: string, shown: string) =>
    saveBrand(
      admin,
      BrandSchema.parse({ merchantName, mark: '', supportContact, reason, seen: shown }),
      browser,
    )
  await save('dash.example', 'help@merchant.example', seen)
  // The form of the second still shows no contact.
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

it('a stored value of another shape counts as none', async () => {
  await pool().query(`INSERT INTO setting VALUES ('settings', $1)`, [
    { merchantName: 7, publicSignUp: 'yes', supportContact: 'help@merchant.example' },
  ])
  expect(await readSettings()).toMatchObject({
    merchantName: 'dash.example',
    publicSignUp: false,
    supportContact: 'help@merchant.example',
  })
})

it('is kept in memory where the server asks for it, until it changes', async () => {
  const listener = openListener(env().databaseDirectUrl)
  keepRows(listener)
  try {
    const [first, second] = [readSettings(), readSettings()]
    expect(first).toBe(second)
    expect((await readSettings()).merchantName).toBe('dash.example')
    // Another server changes it.
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

it('has a change at once where it was made, however late the notification', async () => {
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
])('a mark may be a small image alone: %s', (_what, mark, fits) => {
  expect(SettingsSchema.shape.mark.safeParse(mark).success).toBe(fits)
})

it('the form of retention keeps what is named, for good what is left empty', async () => {
  const form = RetentionSchema.parse({ KYC: '90', AML: '', otherEvents: '30', reason })
  await saveRetention(admin, form, browser)
  expect((await readSettings()).retentionDays).toEqual({ KYC: 90, otherEvents: 30 })
  await saveRetention(admin, RetentionSchema.parse({ KYC: '', reason }), browser)
  expect((await readSettings()).retentionDays).toEqual({})
  for (const wrong of ['0', '1.5', 'x', '99999'])
    expect(RetentionSchema.safeParse({ KYC: wrong, reason }).success).toBe(false)
  expect(RetentionSchema.safeParse({ KYC: '90', reason: '' }).success).toBe(false)
})

it('a rule of retention is written down with its reason, and every admin is told', async () => {
  await saveRetention(admin, RetentionSchema.parse({ KYC: '90', reason }), browser)
  const { rows: audited } = await pool().query(`SELECT action, ${auditReason} FROM audit`)
  expect(audited).toEqual([{ action: 'settings.change', reason }])
  const { rows: notices } = await pool().query('SELECT kind, actor, reason FROM admin_notice')
  expect(notices).toEqual([{ kind: 'retention-changed', actor: admin.id, reason }])
})

it('what protects people is written down with its reason, and every admin is told once', async () => {
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

it('to whom customers write is written down with its reason, and every admin is told once', async () => {
  const brand = { merchantName: 'Demo Merchant', mark: '', supportContact: 'help@merchant.example' }
  expect(BrandSchema.safeParse({ ...brand, reason: '' }).success).toBe(false)
  await saveBrand(admin, BrandSchema.parse({ ...brand, reason }), browser)
  const { rows: audited } = await pool().query(`SELECT action, ${auditReason} FROM audit`)
  expect(audited).toEqual([{ action: 'settings.change', reason }])
  const { rows: notices } = await pool().query('SELECT kind, actor, reason FROM admin_notice')
  expect(notices).toEqual([{ kind: 'brand-changed', actor: admin.id, reason }])
})

it('keeps the legal name and address for receipts, also when a form does not name it', async () => {
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
])('customers verify themselves at an address with https alone: %s', (address, fits) => {
  expect(SettingsSchema.shape.verificationUrl.safeParse(address).success).toBe(fits)
})

it('refuses a pattern that is none', () => {
  const isPattern = (text: string) => SettingsSchema.shape.revealTicketPattern.safeParse(text).success
  for (const text of ['^HELP-\\d+$', '(HELP|OPS)-[0-9]{1,6}', '^\\p{Lu}{2,}\\-\\u0031'])
    expect(isPattern(text), text).toBe(true)
  // No engine whose time is bounded knows the latter.
  for (const text of ['(', '(?=a)b', '(?<!a)b', '(a)\\1', '((a{30}){30}){30}'])
    expect(isPattern(text), text).toBe(false)
})
