import { afterAll, beforeAll, expect, test } from 'vitest'
import { appendPastDeliveries } from '#lib/deliveries/ingest/insert-deliveries.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { NotAllowed } from '#lib/platform/refusals.ts'
import { startProjector } from '#lib/timeline/projector/projector.ts'
import { beginRebuild } from '#lib/timeline/projector/rebuild.ts'
import { auditReason } from '../../../test/audit-reason.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { addReceiver } from '../../../test/ingest.ts'
import { readProjectionStatus, retryDeadLettersNow } from './retry-dead-letters.ts'

let database: TestConfiguration

beforeAll(async () => {
  database = await startDatabase()
  const { id } = await addReceiver(pool())
  const bodies = ['{"type":"KYC"}', 'waiting']
  const [bad = ''] = await appendPastDeliveries(
    bodies.map((body, n) => ({
      receivedAt: new Date(Date.now() - 60_000 + n),
      receiverId: id,
      body: Buffer.from(body),
    })),
  )
  await pool().query(
    `UPDATE delivery_pending SET dead_lettered_at = now(), error = 'a bug' WHERE delivery_id = $1`,
    [bad],
  )
})
afterAll(() => database.stop())

test('staff see the backlog and the dead letters, and no body before they request it', async () => {
  const { oldestDeadLetters, oldestSeconds, ...figures } = await readProjectionStatus(callerWith('support'))
  expect(figures).toEqual({ waiting: 1, deadLetters: 1, rebuild: null, lostMonths: [], mayRetry: false })
  expect(oldestSeconds).toBeGreaterThan(59)
  expect(oldestDeadLetters).toMatchObject([{ error: 'a bug', wholeBody: 'reveal' }])
  const seen = await readProjectionStatus(callerWith('admin'))
  expect(seen).toMatchObject({ mayRetry: true, oldestDeadLetters: [{ wholeBody: 'reveal' }] })
  await expect(readProjectionStatus(callerWith('end-user'))).rejects.toThrow(NotAllowed)
})

test('an admin retries the dead letters, sees the result at once, and the audit records it', async () => {
  const reason = 'the rule was mended'
  await expect(retryDeadLettersNow(callerWith('support'), { reason }, newBrowser())).rejects.toThrow(
    NotAllowed,
  )
  const retrying = retryDeadLettersNow(callerWith('admin'), { reason }, newBrowser())
  // A projector retries dead letters when it starts.
  await expect.poll(async () => (await pool().query('SELECT FROM audit')).rowCount).toBe(1)
  const projector = await startProjector({ url: database.url })
  expect(await retrying).toEqual({ retried: 1 })
  expect(await readProjectionStatus(callerWith('admin'))).toMatchObject({ waiting: 0, deadLetters: 0 })
  await projector.stop()
  const { rows } = await pool().query(`SELECT action, outcome, ${auditReason}, details FROM audit`)
  expect(rows).toEqual([{ action: 'delivery.try-again', outcome: 'done', reason, details: { retried: 1 } }])
})

test('staff see the progress of a rebuild, and whether new rules caused it', async () => {
  const { id } = await beginRebuild(pool())
  const seen = async () => (await readProjectionStatus(callerWith('support'))).rebuild
  expect(await seen()).toEqual({ done: 0, total: 2, kept: 0, newRules: false })
  await pool().query(`UPDATE setting SET value = '0' WHERE key = 'rules-version'`)
  expect(await seen()).toEqual({ done: 0, total: 2, kept: 0, newRules: true })
  await pool().query('UPDATE rebuild SET finished_at = now() WHERE id = $1', [id])
  expect(await seen()).toBeNull()
})
