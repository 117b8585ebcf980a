import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { NotAllowed } from '#lib/platform/refusals.ts'
import { callerWith } from '../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../test/database.ts'
import { foldBodies } from '../../test/fold-bodies.ts'
import { listOthersOfUser } from './get-transaction.ts'

const [ana, ben] = [crypto.randomUUID(), crypto.randomUUID()]
const uuids = Array.from({ length: 10 }, () => crypto.randomUUID())
const start = Date.UTC(2026, 10, 20, 12)
const minute = 60_000
let database: TestConfiguration
const numberOf = (uuid: string) => uuids.map(String).indexOf(uuid)

beforeAll(async () => {
  database = await startDatabase()
  const step = (n: number, subType: string, uuid = ana) => ({
    type: 'fiatToCrypto',
    subType,
    uuid,
    data: { transactionUuid: uuids[n], amountFiat: n },
  })
  // One transaction begins each hour. The third got a late event, and the fourth belongs to somebody else.
  const created = [...uuids.keys()].map((n) => step(n, 'PENDING', n === 3 ? ben : ana))
  await foldBodies([...created, step(2, 'SUCCESS'), step(2, 'IN_PROGRESS')], start, 60)
})
afterAll(() => database.stop())

const near = async (n: number) =>
  (
    await listOthersOfUser(callerWith('support'), {
      subjectId: `transaction:${uuids[n]}`,
      userUuid: ana,
      startedAt: new Date(start + (n * 60 - 1) * minute).toISOString(),
    })
  ).map(({ uuid, step }) => [numberOf(uuid), step])

test('lists the nearest in time first, each where it stands, and only those of the same user', async () => {
  expect(await near(4)).toEqual([
    [5, 'PENDING'],
    [2, 'SUCCESS'],
    [6, 'PENDING'],
    [1, 'PENDING'],
    [7, 'PENDING'],
    [0, 'PENDING'],
  ])
  expect((await near(9)).map(([n]) => n)).toEqual([8, 7, 6, 5, 4, 2])
})

test('lists nobody where nobody is named, and is for staff', async () => {
  const alone = { subjectId: 'transaction:none', userUuid: null, startedAt: new Date(start).toISOString() }
  expect(await listOthersOfUser(callerWith('support'), alone)).toEqual([])
  await expect(listOthersOfUser(callerWith('end-user'), alone)).rejects.toThrow(NotAllowed)
})
