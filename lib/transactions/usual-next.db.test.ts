import { afterAll, beforeAll, expect, it } from 'vitest'
import { firstUuidv7 } from '#lib/platform/db/partitions.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { NotAllowed } from '#lib/platform/refusals.ts'
import { callerWith } from '../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../test/database.ts'
import { forgetUsualNext, learnUsualNext, readUsualNext } from './usual-times.ts'

let database: TestConfiguration
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

const minute = 60_000
let added = 0

/** The transaction went through these steps some hours ago, with the given minutes between them. */
async function add(
  hoursAgo: number,
  apart: number,
  steps: readonly (readonly [step: string, reason?: string])[],
) {
  const subject = `transaction:${added++}`
  const began = Date.now() - hoursAgo * 60 * minute
  for (const [position, [step, reason]] of steps.entries()) {
    const at = began + position * apart * minute
    await pool().query(
      `INSERT INTO event (subject_id, id, fingerprint, type, sub_type, status, position, deliveries, first_received_at, last_received_at, flags)
       VALUES ($1, $2, '', 'fiatToCrypto', $3, $4, $5, 1, $6, $6, '{}')`,
      [
        subject,
        `${firstUuidv7(at).slice(0, -12)}${String(added * 10 + position).padStart(12, '0')}`,
        step,
        reason ?? step,
        position,
        new Date(at),
      ],
    )
  }
}

it('learns what follows a step and after how long, by reason where those are enough, once an hour', async () => {
  for (let n = 0; n < 45; n++)
    await add(6 + n * 3, 20, [['PENDING'], ['ON_HOLD', 'ON_HOLD_KYC'], ['IN_PROGRESS'], ['SUCCESS']])
  for (let n = 0; n < 15; n++)
    await add(7 + n * 3, 5, [['PENDING'], ['ON_HOLD', 'ON_HOLD_PROCESS'], ['FAILED']])
  // This transaction is still at its step, so it says nothing about the next one.
  await add(5, 1, [['PENDING'], ['ON_HOLD', 'ON_HOLD_KYC']])
  await learnUsualNext(pool())
  forgetUsualNext()
  const support = callerWith('support')
  const at = { direction: 'fiatToCrypto', step: 'ON_HOLD' }
  expect(await readUsualNext(support, { ...at, reason: 'ON_HOLD_KYC' })).toEqual({
    count: 45,
    nexts: [{ step: 'IN_PROGRESS', ofHundred: 100, halfMs: 20 * minute }],
  })
  expect(await readUsualNext(support, { ...at, reason: 'ON_HOLD_PROCESS' })).toEqual({
    count: 60,
    nexts: [
      { step: 'IN_PROGRESS', ofHundred: 75, halfMs: 20 * minute },
      { step: 'FAILED', ofHundred: 25, halfMs: 5 * minute },
    ],
  })
  expect(await readUsualNext(support, { ...at, step: 'SUCCESS', reason: null })).toBeNull()
  await pool().query('DELETE FROM usual_next')
  await learnUsualNext(pool())
  expect((await pool().query('SELECT FROM usual_next')).rowCount).toBe(0)
})

it('is for staff alone', async () => {
  const at = { direction: 'fiatToCrypto', step: 'PENDING', reason: null }
  await expect(readUsualNext(callerWith('end-user'), at)).rejects.toThrow(NotAllowed)
})
