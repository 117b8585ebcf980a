import crypto from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { auditAbout } from '../../../test/audit-reason.ts'
import { admin, browser, createHere, reason } from '../../../test/endpoints.ts'
import { startService, type TestService } from '../../../test/service.ts'
import { age, forgetAll, gaps, onlyGap, refuse, take, watch } from '../../../test/watched.ts'
import { reopenGap } from './close-gap.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())
beforeEach(forgetAll)

describe('deferred deliveries', () => {
  it('are a gap while they still fail, with the reasons, and closed when their retries have come', async () => {
    const { receiverId, endpointUuid } = await createHere()
    await age(receiverId, 36_000)
    await take(receiverId, 7_200)
    await refuse(receiverId, 'secret-not-checkable', 1_000, 700)
    await refuse(receiverId, 'too-late', 700)
    await watch()
    const gap = await onlyGap()
    expect(gap).toMatchObject({
      kind: 'deferred',
      endpoint: { uuid: endpointUuid },
      endedAt: null,
      reasons: [
        { why: 'secret-not-checkable', count: 60 },
        { why: 'too-late', count: 10 },
      ],
      refused: 70,
    })
    await take(receiverId, 600)
    await watch()
    expect(await onlyGap()).toMatchObject({
      id: gap.id,
      endedAt: expect.any(String),
      retries: { until: expect.any(String) },
      closed: null,
    })
    await pool().query(`
      UPDATE refusal SET minute = minute - interval '1 hour', first_at = first_at - interval '1 hour',
        last_at = last_at - interval '1 hour'`)
    await pool().query(
      `UPDATE gap SET began_at = began_at - interval '1 hour', ended_at = ended_at - interval '1 hour'`,
    )
    await watch()
    expect(await onlyGap()).toMatchObject({ id: gap.id, closed: { outcome: 'recovered', by: 'Rampart' } })
    expect(await auditAbout(gap.id)).toMatchObject([
      { action: 'gap.close', outcome: 'done', actor: null, details: { outcome: 'recovered' } },
    ])
    await reopenGap(admin, { gapId: gap.id, reason }, browser)
    await watch()
    expect(await onlyGap()).toMatchObject({ id: gap.id, closed: null })
  })

  it('stay a gap when their endpoint was disabled before they were sent again', async () => {
    const { receiverId, endpointUuid } = await createHere()
    await age(receiverId, 36_000)
    await refuse(receiverId, 'database', 7_200, 7_000)
    await watch()
    await take(receiverId, 6_000)
    await watch()
    await pool().query(
      `UPDATE gap SET ended_at = began_at + interval '200 s', outcome = NULL WHERE kind = 'deferred'`,
    )
    await pool().query(
      `INSERT INTO gap (id, kind, about, began_at, ended_at)
       SELECT $1, 'disabled', $2, ended_at + interval '10 s', ended_at + interval '1 hour' FROM gap`,
      [crypto.randomUUID(), endpointUuid],
    )
    await watch()
    expect((await gaps()).find(({ kind }) => kind === 'deferred')).toMatchObject({
      closed: null,
      retries: 'cut-off',
    })
  })

  it('a moment of deferrals is no gap, unless nothing came when the retry was due', async () => {
    const [soon, never] = [
      await createHere({ description: 'Soon' }),
      await createHere({ description: 'Never' }),
    ]
    for (const { receiverId } of [soon, never]) await refuse(receiverId, 'queue-full', 300)
    await take(soon.receiverId, 270)
    await watch()
    expect(await onlyGap()).toMatchObject({ kind: 'deferred', endpoint: { name: 'Never' }, endedAt: null })
  })

  it('deliveries to a closed address count as missing while an endpoint points at it', async () => {
    const { receiverId } = await createHere()
    await pool().query(`UPDATE receiver SET state = 'closed'`)
    await refuse(receiverId, 'unknown-receiver', 100)
    await watch()
    await watch()
    expect(await onlyGap()).toMatchObject({
      kind: 'refused',
      reasons: [{ why: 'unknown-receiver', count: 10 }],
    })
  })
})
