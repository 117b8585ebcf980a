import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { openListener } from '#lib/platform/db/listen.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { env } from '#lib/platform/env.ts'
import { InvalidInput, NotAllowed, Refused, SignInAgain } from '#lib/platform/refusals.ts'
import { keepRows } from '#lib/platform/settings/settings.ts'
import { customerStep } from '#lib/words/labels/customer-labels.ts'
import { customerWords } from '#lib/words/sentences.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { listSentences, readOwnSentences, restoreSentence, saveSentence, showSentence } from './sentences.ts'

const admin = callerWith('admin')
const browser = newBrowser()
const key = 'steps.fiatToCrypto.ON_HOLD.meaning'
const headline = 'steps.fiatToCrypto.PENDING.headline'
let database: TestConfiguration

beforeAll(async () => {
  database = await startDatabase({ PUBLIC_URL: 'https://dash.example' })
})
beforeEach(() => pool().query(`DELETE FROM setting; DELETE FROM audit`))
afterAll(() => database.stop())

const entries = async () => (await pool().query('SELECT action, target, details FROM audit ORDER BY id')).rows
const held = async (language: 'en' | 'de') =>
  customerStep(customerWords(language, (await readOwnSentences())[language]), 'fiatToCrypto', 'ON_HOLD')
    .meaning
const save = (text: string, at = key) => saveSentence(admin, { language: 'de', key: at, text }, browser)

it('uses the merchant’s own sentence in its language alone, and restores the standard one', async () => {
  const standard = { en: await held('en'), de: await held('de') }
  await save('Wir melden uns.')
  expect(await held('de')).toBe('Wir melden uns.')
  expect(await held('en')).toBe(standard.en)
  await restoreSentence(admin, { language: 'de', key }, browser)
  expect(await held('de')).toBe(standard.de)
  expect(await entries()).toEqual([
    {
      action: 'settings.sentence',
      target: `de ${key}`,
      details: { before: { text: standard.de }, after: { text: 'Wir melden uns.' } },
    },
    {
      action: 'settings.sentence',
      target: `de ${key}`,
      details: { before: { text: 'Wir melden uns.' }, after: { text: standard.de } },
    },
  ])
})

it.each([
  ['', 'Write a sentence'],
  ['{given} für {foo}', 'There is no {foo} here. These can be used: {given}, {got}.'],
  ['{given', 'A brace or a bracket is not closed. These can be used: {given}, {got}.'],
  ['{given, plural, other {#}}', 'Only plain placeholders can stand here.'],
  ['<b>{given}</b>', 'Only plain placeholders can stand here.'],
  ['x'.repeat(301), 'At most 300 characters.'],
  ['Angehalten wegen Geldwäsche', '“Geldwäsche” tells a customer of a check'],
  ['Der Name stimmt nicht', 'tells a customer of a check'],
])('refuses %s and changes nothing', async (text, why) => {
  const saved = save(text, headline)
  await expect(saved).rejects.toThrow(InvalidInput)
  await expect(saved).rejects.toMatchObject({ fields: { text: expect.stringContaining(why) } })
  expect(await readOwnSentences()).toEqual({})
  expect(await entries()).toEqual([])
})

it('keeps a change that was made while another form was open', async () => {
  const seen = (await listSentences(admin, 'de')).find((one) => one.key === key)?.standard
  const place = { language: 'de', key, seen } as const
  await saveSentence(admin, { ...place, text: 'Wir warten.' }, browser)
  const second = saveSentence(admin, { ...place, text: 'Es dauert.' }, browser)
  await expect(second).rejects.toThrow('Somebody else has changed this meanwhile.')
  await expect(restoreSentence(admin, { ...place, seen: 'Es dauert.' }, browser)).rejects.toThrow(Refused)
  expect(await readOwnSentences()).toEqual({ de: { [key]: 'Wir warten.' } })
})

it('refuses an unchanged sentence, and notifies nobody', async () => {
  await expect(restoreSentence(admin, { language: 'de', key }, browser)).rejects.toThrow('Nothing to change.')
  await save('Wir warten.')
  const seen = 'Wir warten.'
  const again = saveSentence(admin, { language: 'de', key, text: ' Wir warten. '.trim(), seen }, browser)
  await expect(again).rejects.toThrow('Nothing to change.')
  expect(await entries()).toHaveLength(1)
})

it('refuses an unknown sentence', async () => {
  await expect(save('x', 'signIn.title')).rejects.toThrow(InvalidInput)
  await expect(restoreSentence(admin, { language: 'de', key: 'nothing' }, browser)).rejects.toThrow(
    InvalidInput,
  )
})

it('previews a sentence with amounts', async () => {
  const text = 'Ihre {given} werden {got}'
  expect(await showSentence(admin, { language: 'de', key: headline, text })).toEqual({
    preview: 'Ihre 255,86\u00a0€ werden 260,5 USDC',
  })
  await expect(showSentence(admin, { language: 'de', key: headline, text: '{x}' })).rejects.toThrow(
    InvalidInput,
  )
  await save(text, headline)
  expect((await listSentences(admin, 'de')).find((one) => one.key === headline)).toMatchObject({
    own: text,
    preview: 'Ihre 255,86\u00a0€ werden 260,5 USDC',
    placeholders: ['given', 'got'],
  })
  const english = await listSentences(admin, 'en')
  expect(english.every(({ own }) => own === null)).toBe(true)
})

it('is for admins who have just signed in', async () => {
  const stale = callerWith('admin', { signedInAt: new Date(0).toISOString() })
  await expect(saveSentence(stale, { language: 'de', key, text: 'x' }, browser)).rejects.toThrow(SignInAgain)
  for (const role of ['support', 'compliance', 'auditor', 'end-user'] as const) {
    const other = callerWith(role)
    await expect(saveSentence(other, { language: 'de', key, text: 'x' }, browser)).rejects.toThrow(NotAllowed)
    await expect(restoreSentence(other, { language: 'de', key }, browser)).rejects.toThrow(NotAllowed)
    await expect(showSentence(other, { language: 'de', key, text: 'x' })).rejects.toThrow(NotAllowed)
    await expect(listSentences(other, 'de')).rejects.toThrow(NotAllowed)
  }
})

it('keeps two concurrent changes', async () => {
  await Promise.all([save('Eins.'), save('Zwei {given}', headline)])
  expect(await readOwnSentences()).toEqual({ de: { [key]: 'Eins.', [headline]: 'Zwei {given}' } })
})

it('leaves out a stored sentence that is not valid any more', async () => {
  await pool().query(`INSERT INTO setting (key, value) VALUES ('customer-sentences', $1)`, [
    { de: { [key]: '{broken', 'steps.gone': 'x' } },
  ])
  expect(await held('de')).toBe(customerStep(customerWords('de'), 'fiatToCrypto', 'ON_HOLD').meaning)
})

it('is used at once by the process that saved it, however late the notification', async () => {
  const listener = openListener(env().databaseDirectUrl)
  keepRows(listener)
  await listener.close()
  try {
    expect(await readOwnSentences()).toEqual({})
    await save('Wir melden uns.')
    expect(await readOwnSentences()).toEqual({ de: { [key]: 'Wir melden uns.' } })
  } finally {
    globalThis.rampartLastSettingChange = undefined
  }
})
