import crypto from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Caller } from '#lib/access/caller.ts'
import { listNotices } from '#lib/audit/notices/notices.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { resetLimit } from '#lib/platform/limits/limits.ts'
import { onRefusal, TooMany } from '#lib/platform/refusals.ts'
import { getSubject } from '#lib/timeline/subject-details.ts'
import { checkMatch } from '#lib/transactions/reveal/reveal.ts'
import { callerWith, newBrowser } from '../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../test/database.ts'
import { englishOf } from '../../test/english-of.ts'
import { foldBodies } from '../../test/fold-bodies.ts'
import { isIban } from './rules/iban.ts'
import { search } from './search.ts'

const british = crypto.randomUUID()
const norwegian = crypto.randomUUID()
const numbered = crypto.randomUUID()
const paid = crypto.randomUUID()
const ana = crypto.randomUUID()
const iban = 'GB29NWBK60161331926819'
const customerNumber = '70004711'
const browser = newBrowser()
let database: TestConfiguration

beforeAll(async () => {
  database = await startDatabase()
  await pool().query(
    `INSERT INTO person (user_uuid, email, email_key, customer_number, customer_number_key, source)
     VALUES ($1, $2, $2, $3, $3, 'test')`,
    [ana, 'ana@demo.test', customerNumber],
  )
  const account = { status: 'ACTIVE', bank_name: 'A Bank' }
  const accounts = [
    { uuid: british, iban, bic: 'NWBKGB2L', sort_code: '601613', account_number: '31926819', ...account },
    { uuid: norwegian, iban: 'NO9386011117947', bank_code: '8601', ...account },
    { uuid: numbered, account_number: customerNumber, ...account },
  ]
  await foldBodies(
    [
      ...accounts.map((data) => ({
        type: 'unblockBankAccount',
        subType: 'statusUpdate',
        uuid: crypto.randomUUID(),
        data,
      })),
      {
        type: 'fiatToCrypto',
        subType: 'PENDING',
        uuid: ana,
        data: {
          transactionUuid: paid,
          senderDetails: { senderName: 'Ana', accountDetails: { iban: 'NO93 8601 1117 947' } },
        },
      },
    ],
    Date.now() - 60_000,
  )
})
afterAll(() => database.stop())

const noticesOf = async (name: string) =>
  (await listNotices(callerWith('admin'))).notices.filter(({ sentence }) => sentence.startsWith(name))

const padded = (n: number, length: number) => String(n).padStart(length, '0')

/** The result has the check digits that make it an IBAN (ISO 7064, modulo 97). */
function asIban(country: string, rest: string): string | null {
  const digits = `${rest}${country}00`.replaceAll(/[A-Z]/g, (letter) => String(Number.parseInt(letter, 36)))
  const check = padded(98 - Number(BigInt(digits) % 97n), 2)
  const number = `${country}${check}${rest}`
  return isIban(number.toLowerCase()) ? number : null
}

/** The check is modulo 11, with the weights of Norwegian numbers. */
const isNorwegian = (digits: string) =>
  [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1].reduce((sum, weight, n) => sum + weight * Number(digits[n]), 0) % 11 === 0

/** The numbers of an account are kept by what is seen of it, since making them takes a while. */
const numbersBehind = new Map<string, readonly (string | null)[]>()

/** These numbers may be behind the masked IBAN of an account, by everything that this caller sees of it. */
async function candidatesFor(caller: Caller, account: string, checkDigits?: string): Promise<string[]> {
  const shown = (await getSubject(caller, `bank-account:${account}`))?.account
  const [, country = '', lastFour = ''] = /^([A-Z]{2})•••(.{4})$/.exec(shown?.iban ?? '') ?? []
  if (country === 'GB') {
    const bank = `${shown?.bic?.slice(0, 4)}${shown?.sortCode}`
    const found =
      numbersBehind.get(`${bank} ${lastFour}`) ??
      Array.from({ length: 10_000 }, (_, n) => asIban(country, `${bank}${padded(n, 4)}${lastFour}`))
    numbersBehind.set(`${bank} ${lastFour}`, found)
    return found.flatMap((one) => (one?.slice(2, 4) === (checkDigits ?? one?.slice(2, 4)) ? (one ?? []) : []))
  }
  return Array.from({ length: 1_000 }, (_, n) => `${shown?.bankCode}${padded(n, 3)}${lastFour}`)
    .filter(isNorwegian)
    .flatMap((rest) => asIban(country, rest) ?? [])
}

/** The result counts the answers before the limit was reached. */
async function tryEach(caller: Caller, candidates: readonly string[], atOnce: number) {
  let tried = 0
  for (let from = 0; from < candidates.length; from += atOnce) {
    const some = candidates.slice(from, from + atOnce)
    const found = await search(caller, { text: some.join('\n') }).catch(onRefusal(TooMany, () => null))
    if (found === null) return tried
    tried += some.length
  }
  return tried
}

describe.each(['support', 'admin', 'auditor'] as const)('for %s', (role) => {
  test.each([
    ['a British IBAN', british, undefined, 10_000],
    ['a British IBAN whose check digits are known too', british, '29', 103],
    ['a Norwegian IBAN, whose last digit checks it', norwegian, undefined, 91],
  ])(
    '%s is not rebuilt: most of what may be behind its mask is not tried within two days',
    async (_what, account, known, count) => {
      const caller = callerWith(role)
      const candidates = await candidatesFor(caller, account, known)
      expect(candidates.length).toBeGreaterThanOrEqual(count - 1)
      expect(candidates.length).toBeLessThanOrEqual(count)
      // One after another is counted alike for every role.
      for (const atOnce of role === 'support' ? [1, 40] : [40]) {
        const tried = await tryEach(callerWith(role), candidates.toReversed(), atOnce)
        expect(tried).toBeGreaterThanOrEqual(40)
        expect(tried).toBeLessThanOrEqual(45)
        expect(tried * 2).toBeLessThan(candidates.length)
      }
    },
  )
})

test('a paste of forty account numbers goes through, and again; then it is said when there may be more', async () => {
  const support = callerWith('support', { name: 'Noa' })
  const numbers = (await candidatesFor(support, british)).slice(0, 46)
  const forty = { text: numbers.slice(0, 40).join('\n') }
  expect((await search(support, forty))?.lines).toHaveLength(40)
  const { link } = await search(support, forty)
  expect(await search(support, { link: link ?? '' })).toMatchObject({ lines: { length: 40 } })
  await expect(
    search(support, { text: numbers.slice(40).join('\n') }).catch(englishOf),
  ).resolves.toMatchObject({
    title: 'These are more account numbers than the daily limit allows.',
    next: 'Paste at most 5 of them, or wait 24 hours.',
  })
  expect(await noticesOf('Noa')).toEqual([])
  await search(support, { text: numbers.slice(40, 45).join('\n') })
  await expect(search(support, { text: numbers[45] ?? '' }).catch(englishOf)).resolves.toMatchObject({
    title: 'You have reached the daily limit of account numbers.',
    next: 'Wait 24 hours, then try again. You can still search for everything else.',
  })
  await expect(search(support, { text: '31926819' })).rejects.toThrow(TooMany)
  expect(await search(support, { text: iban.slice(0, 12) })).toMatchObject({ rows: [] })
  expect(await search(support, { text: british })).toMatchObject({ exact: `bank-account:${british}` })
})

test('admins are told once a day by whom all were used up', async () => {
  const support = callerWith('support', { name: 'Kim' })
  const numbers = (await candidatesFor(support, british)).slice(0, 90)
  expect(await tryEach(support, numbers, 15)).toBe(45)
  expect(await tryEach(support, numbers.toReversed(), 15)).toBe(0)
  expect(await noticesOf('Kim')).toMatchObject([{ kind: 'account-numbers-tried' }])
})

/** The customer is said to have named this number; null beyond the limit. */
const match = (caller: Caller, said: string) =>
  checkMatch(caller, { transaction: paid, field: 'parties.sender.iban', said }, browser).catch(
    onRefusal(TooMany, () => null),
  )

test.each(['support', 'admin'] as const)(
  'for %s, searches and comparisons share the limit, and admins are told when it is reached',
  async (role) => {
    const caller = callerWith(role, { name: `Ida ${role}` })
    const numbers = await candidatesFor(caller, norwegian)
    for (const number of numbers.slice(0, 10))
      expect(await match(caller, number)).toMatchObject({ matches: false })
    expect(await tryEach(caller, numbers.slice(10), 1)).toBe(35)
    expect(await noticesOf(`Ida ${role}`)).toMatchObject([{ kind: 'account-numbers-tried' }])
    await resetLimit('match-per-field', `${caller.id} ${paid} parties.sender.iban`)
    expect(await match(caller, numbers[45] ?? '')).toBeNull()
    // A number that was tried before, by either way and in any spelling, does not count again.
    const again = numbers[44] ?? ''
    for (const said of [
      again.toLowerCase().replace(/.{4}/g, '$& '),
      `IBAN: ${again}`,
      again.replace(/.{4}/g, '$&-'),
    ])
      expect(await match(caller, said), said).toMatchObject({ matches: false })
    expect(await tryEach(caller, numbers.slice(0, 10), 5)).toBe(10)
    // A name is no account number.
    const name = { transaction: paid, field: 'parties.sender.name', said: 'Ana' } as const
    expect(await checkMatch(caller, name, browser)).toEqual({ matches: true })
  },
)

test('compliance, who sees them whole, compares without that limit', async () => {
  const compliance = callerWith('compliance')
  const numbers = await candidatesFor(callerWith('support'), british)
  expect(await tryEach(compliance, numbers.slice(0, 60), 30)).toBe(60)
  expect(await match(compliance, 'NO9386011117947')).toEqual({ matches: true })
})

test('compliance, who sees them whole, looks for as many as it likes', async () => {
  const compliance = callerWith('compliance', { name: 'Cai' })
  const numbers = await candidatesFor(callerWith('support'), british)
  expect(await tryEach(compliance, numbers.slice(0, 120), 40)).toBe(120)
  expect(await noticesOf('Cai')).toEqual([])
})

test('a customer number is not counted, and names its customer alone', async () => {
  const support = callerWith('support')
  const numbers = (await candidatesFor(support, british)).slice(0, 45)
  expect(await tryEach(support, numbers, 45)).toBe(45)
  const found = await search(support, { text: customerNumber })
  expect(found?.people).toMatchObject([{ userUuid: ana }])
  expect(found?.rows.map(({ subjectId }) => subjectId)).not.toContain(`bank-account:${numbered}`)
  for (const text of [`${customerNumber}.`, `• ${customerNumber}`, `Kunde: ${customerNumber}`])
    expect((await search(support, { text }))?.people, text).toMatchObject([{ userUuid: ana }])
})
