import crypto from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { CursorRefused, NotAllowed, Refused } from '#lib/platform/refusals.ts'
import { transactionColumns } from '#lib/transactions/transaction-view.ts'
import { auditReason } from '../../../test/audit-reason.ts'
import { callerWith } from '../../../test/callers.ts'
import { admin, browser, createHere, reason } from '../../../test/endpoints.ts'
import { startService, type TestService } from '../../../test/service.ts'
import { forgetAll, onlyGap, set, take, watch } from '../../../test/watched.ts'
import { closeGap, reopenGap } from './close-gap.ts'
import { allowGapExport, exportGap, getGap, listGaps, readGapsOfEndpoint } from './gaps.ts'
import { everyOpenTransaction, openQuery } from './read-open-transactions.ts'
import { lockGaps, recordEvidence } from './record-evidence.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())
beforeEach(forgetAll)

/** The row is as the projector leaves it. Times are in seconds before now. */
async function addTransaction(startedAgo: number, finishedAgo: number | null) {
  const uuid = crypto.randomUUID()
  const ago = (seconds: number | null) => (seconds === null ? null : new Date(Date.now() - seconds * 1000))
  await pool().query(
    `INSERT INTO transaction (subject_id, uuid, flags, started_at, last_move_at, finished_at)
     VALUES ($1, $2, '{}', $3, $3, $4)`,
    [`transaction:${uuid}`, uuid, ago(startedAgo), ago(finishedAgo)],
  )
  return uuid
}

describe('a gap', () => {
  async function aGap(): Promise<string> {
    const { endpointUuid } = await createHere()
    await set(endpointUuid, 'disabled')
    await watch()
    return (await onlyGap()).id
  }

  it('is closed by an admin with an outcome and a reason, ends by itself, and can be reopened', async () => {
    const gapId = await aGap()
    const form = { gapId, outcome: 'nothing-missing', reason } as const
    await closeGap(admin, form, browser)
    await expect(closeGap(admin, form, browser)).rejects.toThrow(Refused)
    await watch()
    expect(await onlyGap()).toMatchObject({
      id: gapId,
      endedAt: null,
      closed: { outcome: 'nothing-missing', reason, by: admin.id },
    })
    expect((await listGaps(admin, { state: 'open' })).rows).toEqual([])
    await set((await onlyGap()).endpoint?.uuid ?? '', 'active')
    await watch()
    expect(await onlyGap()).toMatchObject({ id: gapId, endedAt: expect.any(String) })
    await reopenGap(admin, { gapId, reason }, browser)
    expect((await onlyGap()).closed).toBeNull()
    const { rows } = await pool().query(
      `SELECT action, outcome, ${auditReason} FROM audit WHERE target = $1 ORDER BY id`,
      [gapId],
    )
    expect(rows).toEqual([
      { action: 'gap.close', outcome: 'done', reason },
      { action: 'gap.close', outcome: 'refused', reason },
      { action: 'gap.reopen', outcome: 'done', reason },
    ])
  })

  it.each<[string, (gapId: string) => Promise<unknown>]>([
    ['closed', (gapId) => closeGap(admin, { gapId, outcome: 'some-missing', reason }, browser)],
    ['reopened', (gapId) => reopenGap(admin, { gapId, reason }, browser)],
  ])('is %s after a round of the watcher, and not when the round removed it', async (did, change) => {
    const gapId = await aGap()
    if (did === 'reopened') await closeGap(admin, { gapId, outcome: 'no-gap', reason }, browser)
    const changed = await inTransaction(pool(), async (round) => {
      await lockGaps(round)
      const changing = change(gapId).catch((error: unknown) => error)
      await expect.poll(() => round.query(WAITING).then(({ rowCount }) => rowCount)).toBe(1)
      await round.query('DELETE FROM gap WHERE id = $1', [gapId])
      return { changing }
    })
    expect(await changed.changing).toBeInstanceOf(Refused)
  })

  const WAITING = `
    SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

  it('is joined with another when evidence fills the time between', async () => {
    const minutesAgo = (minutes: number) => Date.now() - minutes * 60_000
    const record = (from: number, until: number) =>
      inTransaction(pool(), (round) => {
        const evidence = [{ about: '', began: minutesAgo(from), ended: minutesAgo(until), note: null }]
        return recordEvidence(round, 'down', evidence, Date.now())
      })
    await record(100, 90)
    await record(40, 30)
    expect((await listGaps(admin)).rows).toHaveLength(2)
    await record(91, 39)
    const { beganAt, endedAt } = await onlyGap()
    expect(Math.round((Date.parse(endedAt ?? '') - Date.parse(beganAt)) / 60_000)).toBe(70)
  })

  it('is seen by all staff and closed only by admins', async () => {
    const gapId = await aGap()
    for (const role of ['support', 'auditor'] as const) {
      const caller = callerWith(role)
      expect(await getGap(caller, gapId)).toMatchObject({ id: gapId })
      const form = { gapId, outcome: 'no-gap', reason } as const
      await expect(closeGap(caller, form, browser)).rejects.toThrow(NotAllowed)
      await expect(reopenGap(caller, { gapId, reason }, browser)).rejects.toThrow(NotAllowed)
    }
    await expect(listGaps(callerWith('end-user'))).rejects.toThrow(NotAllowed)
    expect(await getGap(admin, 'no-id')).toBeNull()
    expect(await getGap(admin, crypto.randomUUID())).toBeNull()
  })

  it('knows the transactions that were open in it', async () => {
    await pool().query(
      `INSERT INTO gap (id, kind, about, began_at, ended_at)
       VALUES ($1, 'down', '', now() - interval '1 hour', now() - interval '30 minutes')`,
      [crypto.randomUUID()],
    )
    const { id } = await onlyGap()
    await addTransaction(7_200, 7_000)
    await addTransaction(1_200, 600)
    await addTransaction(600, null)
    const inside = [
      await addTransaction(2_000, 1_900),
      await addTransaction(2_200, null),
      await addTransaction(3_000, 2_000),
      await addTransaction(7_200, 3_000),
      await addTransaction(8_000, 100),
      await addTransaction(9_000, null),
      // The outcome of this transaction arrived before its start.
      await addTransaction(1_900, 10_000),
    ].toSorted()
    const gap = await getGap(admin, id)
    expect(gap?.total).toEqual({ count: inside.length, exact: true })
    expect(gap?.transactions.map(({ uuid }) => uuid).toSorted()).toEqual(inside)
    expect(gap?.transactions.map(({ unheard }) => unheard)).toEqual([true, true, ...Array(5).fill(false)])
    expect(gap?.unheard).toBe(2)
    await pool().query('UPDATE gap SET ended_at = NULL')
    expect((await getGap(admin, id))?.unheard).toBe(3)
    const exported: string[] = []
    if (gap)
      for await (const rows of everyOpenTransaction('admin', gap))
        exported.push(...rows.map(({ uuid }) => uuid))
    expect(exported.toSorted()).toEqual(inside)
  })

  it('is on its endpoint’s page with the names of open transactions, also once closed while the endpoint is off', async () => {
    const { id, endpoint } = await aGap().then(onlyGap)
    const endpointUuid = endpoint?.uuid ?? ''
    const uuid = await addTransaction(60, null)
    const { gaps, lasting } = await readGapsOfEndpoint(admin, endpointUuid)
    const whole = await getGap(admin, id)
    expect(gaps).toEqual(await listGaps(admin, { endpointUuid }).then(({ rows }) => rows))
    expect(lasting).toMatchObject({ ...gaps[0], total: whole?.total, unheard: whole?.unheard })
    expect(lasting?.transactions.map((one) => ({ ...one, subjectId: null }))).toEqual([
      { subjectId: null, uuid, direction: null, step: null, lastMoveAt: expect.any(String), unheard: true },
    ])
    expect(whole?.transactions).toMatchObject(lasting?.transactions ?? [])
    await closeGap(admin, { gapId: id, outcome: 'nothing-missing', reason }, browser)
    expect((await readGapsOfEndpoint(admin, endpointUuid)).lasting).toMatchObject({ id, total: { count: 1 } })
    await set(endpointUuid, 'active')
    await watch()
    expect((await readGapsOfEndpoint(admin, endpointUuid)).lasting).toBeNull()
    expect((await readGapsOfEndpoint(admin, crypto.randomUUID())).lasting).toBeNull()
    await expect(readGapsOfEndpoint(callerWith('end-user'), endpointUuid)).rejects.toThrow(NotAllowed)
  })

  it('exports them as a file with what came in and what was paid out for each', async () => {
    const id = crypto.randomUUID()
    await pool().query(
      `INSERT INTO gap (id, kind, about, began_at, ended_at) VALUES ($1, 'down', '', now() - interval '1 hour', now())`,
      [id],
    )
    const [created, failed, done] = [
      await addTransaction(7_200, null),
      await addTransaction(7_100, 1_000),
      await addTransaction(7_000, 1_000),
    ]
    for (const [uuid, step] of [
      [created, 'PENDING'],
      [failed, 'FAILED'],
      [done, 'SUCCESS'],
    ])
      await pool().query(`UPDATE transaction SET direction = 'fiatToCrypto', step = $2 WHERE uuid = $1`, [
        uuid,
        step,
      ])
    const support = callerWith('support')
    const { ticket } = await allowGapExport(support, { gapId: id, reason }, browser)
    const file = (await Array.fromAsync((await exportGap(support, id, ticket)) ?? [])).join('')
    const [head = '', ...lines] = file.trimEnd().split('\r\n')
    expect(head.split(',')).toEqual(transactionColumns.map(([name]) => name))
    const cells = new Map(lines.map((line) => [line.split(',')[0], line.split(',').slice(-2)]))
    expect(cells.get(created)).toEqual(['expected', 'payout pending'])
    expect(cells.get(failed)).toEqual(['', 'planned payout'])
    expect(cells.get(done)).toEqual(['received', 'paid out'])
  })

  it('finds them by an index, however many there are', async () => {
    await pool().query(
      `INSERT INTO transaction (subject_id, uuid, flags, started_at, last_move_at, finished_at)
       SELECT 'transaction:' || n, n, '{}', at, at, CASE WHEN n % 1000 > 0 THEN at + interval '40 s' END
       FROM (SELECT n, now() - n * interval '1 minute' AS at FROM generate_series(1, 20000) AS n) AS made`,
    )
    await pool().query('ANALYZE transaction')
    const span = [new Date(Date.now() - 86_400_000 * 7), new Date(Date.now() - 86_400_000 * 7 + 600_000)]
    const { rows } = await pool().query(`EXPLAIN ${openQuery(1001, 100)}`, span)
    expect(JSON.stringify(rows)).toContain('transaction_finished_while_idx')
    expect(JSON.stringify(rows)).toContain('transaction_open_idx')
    expect((await pool().query(openQuery(1001, 100), span)).rows.length).toBeGreaterThanOrEqual(10)
  })
})

describe('what a person says of a gap', () => {
  const addGap = async (kind: string, about: string, secondsAgo: number) => {
    const gapId = crypto.randomUUID()
    await pool().query(
      `INSERT INTO gap (id, kind, about, began_at, ended_at)
       VALUES ($1, $2, $3, clock_timestamp() - $4 * interval '1 s', clock_timestamp())`,
      [gapId, kind, about, secondsAgo],
    )
    return gapId
  }
  /** Something waits to be folded again. */
  const isNoted = async () =>
    (await pool().query(`SELECT FROM setting WHERE key LIKE 'fold-again:%'`)).rowCount !== 0
  /** These receivers' deliveries are queued again, and the queue is emptied. */
  const foldedAgain = async () => {
    const { rows } = await pool().query<{ receiver: string }>(
      `WITH queued AS (DELETE FROM delivery_pending RETURNING delivery_id)
       SELECT receiver_id AS receiver FROM queued JOIN delivery ON id = delivery_id ORDER BY 1`,
    )
    return rows.map(({ receiver }) => receiver)
  }

  it.each([
    ['silent', 'one'],
    ['refused', 'one'],
    ['down', 'all'],
    ['restored', 'all'],
    ['deferred', 'none'],
    ['key-refused', 'none'],
  ])('has deliveries since a gap of kind %s folded again: of %s', async (kind, whose) => {
    const [mine, other] = [crypto.randomUUID(), crypto.randomUUID()].toSorted()
    for (const [id, ago] of [
      [mine, 60],
      [mine, 600],
      [other, 60],
    ] as const)
      await take(String(id), ago)
    const gapId = await addGap(kind, whose === 'all' || kind === 'key-refused' ? '' : String(mine), 300)
    await foldedAgain()
    const expected = { one: [mine], all: [mine, other], none: [] }[whose]
    await closeGap(admin, { gapId, outcome: 'nothing-missing', reason }, browser)
    await reopenGap(admin, { gapId, reason }, browser)
    await expect.poll(isNoted).toBe(false)
    expect(await foldedAgain()).toEqual([])
    await closeGap(admin, { gapId, outcome: 'no-gap', reason }, browser)
    await expect.poll(isNoted).toBe(false)
    expect(await foldedAgain()).toEqual(expected)
    await reopenGap(admin, { gapId, reason }, browser)
    await expect.poll(isNoted).toBe(false)
    expect(await foldedAgain()).toEqual(expected)
  })

  it('is answered at once, also while the queue is locked', async () => {
    const receiver = crypto.randomUUID()
    await take(receiver, 60)
    const gapId = await addGap('silent', receiver, 300)
    await foldedAgain()
    const client = await pool().connect()
    try {
      await client.query('BEGIN; LOCK TABLE delivery_pending')
      await closeGap(admin, { gapId, outcome: 'no-gap', reason }, browser)
      expect(await onlyGap()).toMatchObject({ closed: { outcome: 'no-gap' } })
      expect(await isNoted()).toBe(true)
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
    await expect.poll(isNoted).toBe(false)
    expect(await foldedAgain()).toEqual([receiver])
  })

  it('is kept also when nothing can be queued, which the watcher repeats', async () => {
    const receiver = crypto.randomUUID()
    await take(receiver, 60)
    const gapId = await addGap('silent', receiver, 300)
    await pool().query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'a test'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON delivery_pending EXECUTE FUNCTION refuse()`)
    await closeGap(admin, { gapId, outcome: 'no-gap', reason }, browser)
    await watch()
    await pool().query('DROP FUNCTION refuse CASCADE')
    expect(await onlyGap()).toMatchObject({ closed: { outcome: 'no-gap' } })
    expect(await foldedAgain()).toEqual([])
    await watch()
    expect(await foldedAgain()).toEqual([receiver])
    await watch()
    expect(await foldedAgain()).toEqual([])
  })
})

it('lists by page, also after a gap that is gone, by kind, by endpoint, and by time', async () => {
  for (const hour of [1, 2, 3, 4]) {
    await pool().query(
      `INSERT INTO gap (id, kind, about, began_at, ended_at)
       VALUES ($1, $2, '', $3, $3::timestamptz + interval '10 minutes')`,
      [crypto.randomUUID(), hour % 2 ? 'down' : 'silent', new Date(Date.UTC(2026, 1, 1, hour))],
    )
  }
  const first = await listGaps(admin, { limit: 3 })
  const second = await listGaps(admin, { limit: 3, before: first.next ?? '' })
  const hours = [...first.rows, ...second.rows].map(({ beganAt }) => new Date(beganAt).getUTCHours())
  expect(hours).toEqual([4, 3, 2, 1])
  expect(second.next).toBeNull()
  expect((await listGaps(admin, { kind: 'down' })).rows).toHaveLength(2)
  expect((await listGaps(admin, { endpointUuid: crypto.randomUUID() })).rows).toHaveLength(4)
  await pool().query(
    `UPDATE gap SET ended_at = NULL WHERE kind = 'silent' AND began_at > '2026-02-01T03:00Z'`,
  )
  expect((await listGaps(admin, { lasting: true })).rows).toMatchObject([{ kind: 'silent', endedAt: null }])
  expect((await listGaps(admin, { lasting: true, kind: 'down' })).rows).toEqual([])
  const during = { from: '2026-02-01T02:05:00Z', until: '2026-02-01T03:00:00Z' }
  expect((await listGaps(admin, { during })).rows).toHaveLength(2)
  const last = first.rows.at(-1)?.id ?? ''
  await pool().query('DELETE FROM gap WHERE id = $1', [last])
  expect(await listGaps(admin, { limit: 3, before: first.next ?? '' })).toEqual(second)
  await expect(listGaps(admin, { before: last })).rejects.toThrow(CursorRefused)
})
