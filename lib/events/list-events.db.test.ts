import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callerWith } from '../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../test/database.ts'
import { foldBodies } from '../../test/fold-bodies.ts'
import { listEvents } from './list-events.ts'

const [ana, paid, unpaid] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
let database: TestConfiguration

beforeAll(async () => {
  database = await startDatabase()
  const event = (type: string, data: object) => ({ type, subType: 'PENDING', uuid: ana, data })
  const said = [
    event('KYC', { status: 'KYC_NEEDED' }),
    event('fiatToCrypto', { transactionUuid: unpaid }),
    event('fiatToCrypto', { transactionUuid: paid, amountFiat: 255.86, currencyFiat: 'EUR' }),
  ]
  await foldBodies(said, Date.UTC(2026, 10, 20, 12), 1)
})
afterAll(() => database.stop())

test('each event of a transaction has its fiat amount beside it, where there is one', async () => {
  const { rows } = await listEvents(callerWith('support'))
  expect(rows.map(({ transactionUuid, amount }) => [transactionUuid, amount?.amountFiat ?? null])).toEqual([
    [paid, '255.86'],
    [unpaid, null],
    [null, null],
  ])
  expect(rows[0]?.amount?.currencyFiat).toBe('EUR')
})
