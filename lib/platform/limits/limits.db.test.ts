import { afterAll, beforeAll, expect, it } from 'vitest'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { consumeLimit } from './limits.ts'

let database: TestConfiguration
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

const consume = async (address: (n: number) => string | null, times: number) => {
  const waits: number[] = []
  for (let n = 0; n < times; n++) waits.push(await consumeLimit('account-per-ip', address(n)))
  return waits
}

it('counts an IPv6 sender by its /64, whichever of its addresses it uses', async () => {
  const waits = await consume((n) => `2001:db8:1:2::${n.toString(16)}`, 21)
  expect(waits.slice(0, 20)).toEqual(Array(20).fill(0))
  expect(waits[20]).toBeGreaterThan(0)
  expect(await consumeLimit('account-per-ip', '2001:db8:1:3::1')).toBe(0)
})

it('does not count all callers as one when their addresses are unknown', async () => {
  expect(await consume(() => null, 30)).toEqual(Array(30).fill(0))
})
