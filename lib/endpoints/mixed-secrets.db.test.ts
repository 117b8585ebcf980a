import crypto from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { pool } from '#lib/platform/db/pool.ts'
import { admin, browser, createHere, reason } from '../../test/endpoints.ts'
import type { startIngestServer } from '../../test/ingest.ts'
import type { TestService } from '../../test/service.ts'
import { startServiceAndIngest } from '../../test/service-and-ingest.ts'
import { readKeyFaults } from './read-key-faults.ts'
import { repairEndpoint } from './repair-endpoint.ts'
import { rotateSecret } from './rotate-secret.ts'

/** The service delivers while Rampart does not know the secret yet, or while the secret changes. */

let service: TestService
let ingest: Awaited<ReturnType<typeof startIngestServer>>

beforeAll(async () => {
  ;({ service, ingest } = await startServiceAndIngest())
})
afterAll(async () => {
  await ingest.stop()
  await service.stop()
})

const emit = () =>
  service.control('/events', { type: 'KYC', subType: 'x', uuid: crypto.randomUUID(), data: {} })

/** Each delivery to this endpoint has the statuses of its answers, attempt by attempt. */
async function answersOf(endpointUuid: string): Promise<(number | null)[][]> {
  const listed = DeliveriesSchema.parse(
    await service.control(`/deliveries?endpoint=${endpointUuid}&limit=10000`),
  )
  return listed.map(({ attempts }) => attempts.map(({ status }) => status))
}
const DeliveriesSchema = z.array(z.object({ attempts: z.array(z.object({ status: z.number().nullable() })) }))

it('a delivery that arrives before its secret is known is retried and accepted', async () => {
  await service.control('/faults', { kind: 'deliver_before_answer', next: 1 })
  const { endpointUuid } = await createHere()
  expect(await answersOf(endpointUuid)).toEqual([[503]])
  await service.control('/clock/advance', { seconds: 10 })
  expect(await answersOf(endpointUuid)).toEqual([[503, 200]])
})

it('deliveries under the old and the new secret are all accepted, even when the answer to the rotation was lost', async () => {
  const { endpointUuid } = await createHere()
  let sent = 0
  let enough = false
  const sending = (async () => {
    for (; !enough; sent += 1) {
      await emit()
      await wait(10)
    }
  })()
  await rotateSecret(admin, { endpointUuid, reason }, browser)
  service.loseAnswer((route) => route.endsWith('/secret'))
  await expect(rotateSecret(admin, { endpointUuid, reason }, browser)).rejects.toThrow()
  await expect.poll(async () => (await answersOf(endpointUuid)).flat()).toContain(503)
  await repairEndpoint(admin, { endpointUuid, reason }, browser)
  await rotateSecret(admin, { endpointUuid, reason }, browser)
  enough = true
  await sending
  await service.control('/clock/advance', { seconds: 900 })
  const answers = await answersOf(endpointUuid)
  expect(answers).toHaveLength(sent)
  expect(answers.filter((attempts) => attempts.at(-1) !== 200)).toEqual([])
})

it('a key that a running server lacks is named, with the addresses whose secrets are under it', async () => {
  const { endpointUuid } = await createHere()
  const processId = crypto.randomUUID()
  await pool().query(`UPDATE receiver SET secret_key_id = 'k9' WHERE endpoint_uuid = $1`, [endpointUuid])
  await pool().query(`INSERT INTO key_fault (process, key_id, kind) VALUES ($1, 'k9', 'missing')`, [
    processId,
  ])
  await pool().query(
    `INSERT INTO lease (name, holder, epoch, expires_at) VALUES ('ingest:' || $1, $1::uuid, 1, now() + interval '1 minute')`,
    [processId],
  )
  const since = expect.any(String)
  expect(await readKeyFaults(admin)).toContainEqual({
    keyId: 'k9',
    kind: 'missing',
    since,
    receivers: 1,
    deferred: 0,
  })
})
