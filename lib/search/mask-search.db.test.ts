import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import { searchPeople } from '#lib/people/list-people.ts'
import { cleanText } from '#lib/platform/rules/pasted-text.ts'
import { callerWith, newBrowser } from '../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../test/database.ts'
import { foldBodies } from '../../test/fold-bodies.ts'
import { allowLinesExport, exportLines } from './export-lines.ts'
import { maskSearch } from './mask-search.ts'
import { search } from './search.ts'

const [account, iban] = [crypto.randomUUID(), 'DE89370400440532013000']
const wallet = '0x26d0bfaa7de6f4d5a8f06bd2c7b0f35b3d708932'
const id = '2046967a-85f9-4a5c-9d3e-0123456d1329'
let database: TestConfiguration

beforeAll(async () => {
  database = await startDatabase()
  const body = {
    type: 'unblockBankAccount',
    subType: 'statusUpdate',
    uuid: crypto.randomUUID(),
    data: { uuid: account, iban, status: 'ACTIVE' },
  }
  await foldBodies([body], Date.now() - 60_000)
})
afterAll(() => database.stop())

const grouped = 'DE89 3704 0044 0532 0130 00'

it.each([
  `IBAN: ${grouped}`,
  `IBAN ${iban}`,
  grouped.replaceAll(' ', '-'),
  `${grouped} (Ana Lima)`,
  `IBAN${iban}EUR`,
  grouped.replaceAll(' ', '\u200b'),
  grouped.replaceAll(' ', '%20'),
])('%j is found, and no link shows it to whoever may not see it', async (text) => {
  const compliance = callerWith('compliance')
  const own = await search(compliance, { text })
  expect(own.rows.map(({ subjectId: found }) => found)).toEqual([
    subjectId({ kind: 'bank-account', id: account }),
  ])
  for (const role of ['support', 'auditor', 'admin'] as const) {
    const found = await search(callerWith(role), { link: own.link ?? '' })
    expect(found).toMatchObject({ rows: [{}], text: expect.stringContaining('DE•••3000') })
    expect(withoutSigns(JSON.stringify(found)), role).not.toMatch(/8937|3704|0440|0532/)
  }
})

it('shows an id that a mail wrapped whole, and masks a wallet that one wrapped', () => {
  const wrapped = (text: string) => cleanText(`> ${text.slice(0, 20)}\n> ${text.slice(20)}`)
  for (const role of ['support', 'auditor'] as const)
    expect(maskSearch(role, wrapped(id)), role).toContain(id)
  expect(maskSearch('auditor', wrapped(wallet))).toMatch(/•••8932$/)
})

it('masks lines, texts that were not understood, and searches for people likewise', async () => {
  const compliance = callerWith('compliance')
  const texts = [`${grouped}\n${id}`, `Both:\n${id}\nAccount ${iban}, see 5.49.3`, `5.49.3 ${grouped}`]
  for (const text of texts) {
    const { link } = await search(compliance, { text })
    if (link === null) continue
    const found = await search(callerWith('support'), { link })
    expect(withoutSigns(JSON.stringify(found)), text).not.toMatch(/8937|3704|0440|0532/)
  }
  const own = await searchPeople(compliance, { q: `Ana, ${grouped}` })
  if (own === null || own === 'erased' || own.link === null) throw new Error('It has no link')
  const people = await searchPeople(callerWith('support'), { link: own.link })
  expect(people).toMatchObject({ text: 'Ana, DE•••3000' })
})

it('masks the longest text in linear time', () => {
  for (const part of ['x', 'a,', 'x@', '1x'])
    expect(maskSearch('auditor', cleanText(part.repeat(20_000 / part.length)))).not.toBe('')
})

/** The digits of ids and times are made by chance and by the clock, so they say nothing about the account. */
const ours = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z/g

const withoutSigns = (text: string) => text.replace(ours, '').replace(/[^\p{L}\p{N}"]/gu, '')

it.each([
  ['GB29 NWBK 6016 1331 9268 18', 'GB•••6818'],
  ['IBAN: GB29 NWBK 6016 1331 9268 18 (Ana)', 'IBAN: GB•••6818 (Ana)'],
  ['MT84 MALT 0110 0001 2345 MTLC AST0 01S', 'MT•••001S'],
  ['Account: 31926819', 'Account: •••6819'],
  ['12-34-56 31926819', '•••6819'],
  ['3192-6819', '•••6819'],
  ['acct/31926819#1', 'acct/•••8191'],
  ['31926819 EUR', '•••6819 EUR'],
  ['3192 6819 GBP', '•••6819 GBP'],
  ['£3192 6819', '£•••6819'],
  ['31 92 68 19 GBP', '•••6819 GBP'],
  ['31 926 819 GBP', '•••6819 GBP'],
  ['31.926.819 GBP', '•••6819 GBP'],
  ['3192.6819 GBP', '•••6819 GBP'],
  ['31926.819 GBP', '•••6819 GBP'],
  ['03,192,681 GBP', '•••2681 GBP'],
  ["3192'6819 EUR", '•••6819 EUR'],
  ['3704 0044 0532 0130 00 EUR', '•••3000 EUR'],
  ['3192 6819 20 Nov', '•••1920 Nov'],
  ['€5 20261120', '€•••1120'],
  ['٣١٩٢٦٨١٩', '•••6819'],
  ['cg1234567', '•••4567'],
  ['CFPF112233', '•••2233'],
  ['TOP 123456', 'TOP •••'],
  ['MOP 123.456', 'MOP •••'],
  ['VES 1234567', 'VES •••'],
  ['ALL 12345', 'ALL •••'],
  ['123456 CG', '••• CG'],
  ['SOS 112233 20 Nov', 'SOS •••3320 Nov'],
  ['DE89…3000', '•••3000'],
  ['3704 0044', '•••0044'],
  [`Of ${id}: ${grouped}`, `Of ${id}: DE•••3000`],
  [`31926819@demo.test ${iban}`, '31926819@demo.test DE•••3000'],
  [`of ${wallet.slice(2)} now`, 'of •••8932 now'],
  ['DE89\n3704\n0044\n0532\n0130\n00', 'DE•••3000'],
  ['DE89\n3704\n0044', '•••\n•••\n•••'],
  ['DE89 3704 0044\n0532 0130 00', 'DE•••3000'],
  [`Ana\n> IBAN: DE89 3704 0044\n> 0532 0130 00\n${id}`, `Ana\n> IBAN: DE•••3000\n${id}`],
  ...['|', '/', '-', '_', '=', '+', ''].map((sign) => [
    `${iban}${sign}ana@demo.test`,
    `DE•••3000${sign}ana@demo.test`,
  ]),
  [`Ana|${iban}|ana@demo.test`, 'Ana|DE•••3000|ana@demo.test'],
  [`iban=${iban}&e=ana@demo.test`, 'iban=DE•••3000&e=ana@demo.test'],
  [`${grouped}|ana@demo.test`, 'DE•••3000|ana@demo.test'],
  [`ana@demo.test${iban}`, 'ana@demo.testDE•••3000'],
  [`ana@demo.de${iban}`, 'ana@demo.deDE•••3000'],
  [`${iban}-abe@demo.test`, 'DE•••3000-abe@demo.test'],
  ['60-16-13/31926819|ana@demo.test', '•••6819|ana@demo.test'],
  ['ana@demo.test31926819', 'ana@demo.test•••6819'],
  ['Ana\t255.86 EUR', 'Ana\t••• EUR'],
  ['Ana Lima', 'Ana Lima'],
  ['Ana 42', 'Ana 42'],
  ["o'brien@demo.test", "o'brien@demo.test"],
  ['€255.86 20 Nov', '€255.86 20 Nov'],
  ['1,255.86 EUR 2026-11-20', '1,255.86 EUR 2026-11-20'],
  ['319 268.19 EUR', '319 268.19 EUR'],
  ["€255.86 20 Nov '26", "€255.86 20 Nov '26"],
  ['TOP 1234.56', 'TOP 1234.56'],
  ['255,86 CG', '255,86 CG'],
  ['112233 EUR', '112233 EUR'],
  ['5 USDC', '5 USDC'],
  [wallet, wallet],
  [id, id],
])('support reads of %j %j', (text, shown) => {
  expect(maskSearch('support', cleanText(text))).toBe(shown)
  expect(maskSearch('compliance', cleanText(text))).toBe(cleanText(text))
})

it.each([
  [`Payment of Ana García ${id}`, `P••• o••• A••• G••• ${id}`],
  ["o'brien@demo.test", 'o•••@demo.test'],
  [`Ana <ana@demo.test> ${wallet}`, 'A••• <••• a•••@demo.test >••• •••8932'],
  ['Ana.Lima/31926819', 'A•••/•••6819'],
  ['12.50 GARCIA', '12.50 G•••'],
  [`Ana|${iban}|ana@demo.test`, 'A•••DE•••3000|•••@demo.test'],
  ['Ana Lima\t255.86 EUR', 'A••• L•••'],
])('an auditor reads of %j no name and no address', (text) => {
  const shown = maskSearch('auditor', cleanText(text))
  expect(shown).not.toMatch(/na|arc|ima|brien|26d0|3192/i)
  if (text.includes(id)) expect(shown).toContain(id)
})

it('exports to nobody what the page masks', async () => {
  const compliance = callerWith('compliance')
  const { link } = await search(compliance, { text: `IBAN: ${grouped}\n${id}\n31926819` })
  const reason = 'a test wants it'
  for (const [caller, sees] of [
    [callerWith('support'), false],
    [compliance, true],
  ] as const) {
    const { ticket } = await allowLinesExport(caller, { link: link ?? '', reason }, newBrowser())
    const file = (await Array.fromAsync((await exportLines(caller, link ?? '', ticket)) ?? [])).join('')
    expect(file.includes(grouped)).toBe(sees)
    expect(withoutSigns(file).includes('3704')).toBe(sees)
  }
})

it('masks the longest paste, whatever it repeats', () => {
  for (const text of [
    'a@b.test,',
    'DE89 3704 0044 0532 0130 00 ',
    'DE8',
    '0x',
    '@',
    '1 a ',
    'a@',
    '=2D',
    'DE8 \n> ',
    '1|',
    '1|a@b.c ',
  ])
    expect(maskSearch('auditor', cleanText(text.repeat(20_000 / text.length)))).not.toBe('')
})
