import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { consumeLimit } from '#lib/platform/limits/limits.ts'
import { NotAllowed, TooMany } from '#lib/platform/refusals.ts'
import { callerWith } from '../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../test/database.ts'
import { foldBodies } from '../../test/fold-bodies.ts'
import { search } from './search.ts'

const account = crypto.randomUUID()
const iban = 'PT50000201231234567890154'
/** Some senders give a hash like this one; the other id is no uuid. */
const [bare, odd] = ['371fa7c5'.repeat(8), '🎉-Zürich/100%']
let database: TestConfiguration

beforeAll(async () => {
  database = await startDatabase()
  const body = {
    type: 'unblockBankAccount',
    subType: 'statusUpdate',
    uuid: crypto.randomUUID(),
    data: { uuid: account, iban, status: 'ACTIVE' },
  }
  const transactions = [
    { transactionUuid: crypto.randomUUID(), transactionHash: bare },
    { transactionUuid: odd },
  ].map((data) => ({ type: 'fiatToCrypto', subType: 'PENDING', uuid: crypto.randomUUID(), data }))
  await foldBodies([body, ...transactions], Date.now() - 60_000)
})
afterAll(() => database.stop())

const exact = `bank-account:${account}`
const compliance = callerWith('compliance')

test('a search is linked to by an id that says nothing of it, the same for the same text', async () => {
  const found = await search(compliance, { text: ` ${iban} ` })
  expect(found).toMatchObject({ exact, text: iban, link: expect.stringMatching(/^[0-9a-f-]{36}$/) })
  expect((await search(compliance, { text: iban }))?.link).toBe(found?.link)
  const { rows } = await pool().query('SELECT * FROM search_link')
  expect(
    JSON.stringify(rows.map(({ sealed, ...row }) => [Buffer.from(sealed).toString('latin1'), row])),
  ).not.toContain(iban)
  for (const text of ['ab', '5.49 apples']) expect((await search(compliance, { text })).link, text).toBeNull()
})

test('through a link one finds what its text finds, but reads of it only what one’s own role may read', async () => {
  const { link } = (await search(compliance, { text: iban })) ?? {}
  const asked = { link: link ?? '' }
  expect(await search(compliance, asked)).toMatchObject({ exact, text: iban, explanation: `IBAN ${iban}` })
  for (const role of ['support', 'auditor', 'admin'] as const) {
    const found = await search(callerWith(role), asked)
    expect(found).toMatchObject({ exact, text: 'PT•••0154', link })
    expect(JSON.stringify(found)).not.toContain(iban)
  }
  const email = (await search(compliance, { text: 'ana@demo.test' }))?.link ?? ''
  expect(await search(callerWith('auditor'), { link: email })).toMatchObject({ text: 'a•••@demo.test' })
  expect(await search(callerWith('support'), { link: email })).toMatchObject({ text: 'ana@demo.test' })
  await expect(search(callerWith('end-user'), asked)).rejects.toThrow(NotAllowed)
  expect(await search(compliance, { link: crypto.randomUUID() })).toBeNull()
  expect(await search(compliance, { link: 'x' })).toBeNull()
})

test('a link whose row was changed, or moved under another id, opens nothing', async () => {
  const { link } = (await search(compliance, { text: 'somebody@demo.test' })) ?? {}
  const moved = crypto.randomUUID()
  await pool().query('UPDATE search_link SET id = $2 WHERE id = $1', [link, moved])
  expect(await search(compliance, { link: moved })).toBeNull()
})

test('searches are counted, and limited for each person', async () => {
  const caller = callerWith('support')
  for (let n = 0; n < 300; n++) await search(caller, { link: 'none' })
  await expect(search(caller, { text: account })).rejects.toThrow(TooMany)
  expect(await search(callerWith('support'), { text: account })).toMatchObject({ exact })
  const { rows } = await pool().query('SELECT sum(count)::int AS count FROM audit_counter WHERE actor = $1', [
    caller.id,
  ])
  expect(rows).toEqual([{ count: 300 }])
})

test('looking for the same again, as open tabs do with every piece of news, leaves the limit to what is typed', async () => {
  const caller = callerWith('support')
  for (let n = 0; n < 20; n++) {
    const { link } = (await search(caller, { text: account })) ?? {}
    await search(caller, { link: link ?? '' })
  }
  for (let n = 0; n < 299; n++) await search(caller, { link: 'none' })
  expect(await search(caller, { text: account })).toMatchObject({ exact })
  // A refused search is not run when it is repeated.
  for (let n = 0; n < 2; n++) await expect(search(caller, { text: iban })).rejects.toThrow(TooMany)
})

test('looking for the same again has a limit, too', async () => {
  const caller = callerWith('support')
  const lines = Array.from({ length: 100 }, () => crypto.randomUUID()).join('\n')
  const pasted = { text: lines }
  const { link } = (await search(caller, pasted)) ?? {}
  const refused = await consumeLimit('search-again-per-person', caller.id, 2_950)
  expect(refused).toBe(0)
  await expect(search(caller, { link: link ?? '' })).rejects.toThrow(TooMany)
})

test('a hash is found by the one with 0x although the sender left it out, and a whole id of any sign by itself', async () => {
  for (const text of [`0x${bare}`, bare, `0x${bare.slice(0, 9)}`])
    expect((await search(compliance, { text }))?.rows, text).toHaveLength(1)
  expect((await search(compliance, { text: odd }))?.exact).toBe(`transaction:${odd.toLowerCase()}`)
})
