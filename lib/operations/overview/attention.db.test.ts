import crypto from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { appendPastDeliveries } from '#lib/deliveries/ingest/insert-deliveries.ts'
import { recordStates } from '#lib/endpoints/endpoint-states.ts'
import { recordServiceOutcome } from '#lib/endpoints/service-key/service-state.ts'
import { failedAccountsOf } from '#lib/people/standings/standing-attention.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { poolSizes } from '#lib/platform/db/pool-sizes.ts'
import { NotAllowed, Refused } from '#lib/platform/refusals.ts'
import { auditReason } from '../../../test/audit-reason.ts'
import { recordSignIn } from '../../../test/bounces.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { foldWaiting, takeAllShards } from '../../../test/folding.ts'
import { addReceiver } from '../../../test/ingest.ts'
import type { AttentionKind } from '../rules/attention-kinds.ts'
import { readAttentionItems } from './read-attention.ts'
import { listSnoozes, snooze, unsnooze } from './snoozes.ts'

const admin = callerWith('admin')
const support = callerWith('support')
const browser = newBrowser()
const reason = 'The provider is asked.'
const hour = 3_600_000
const day = 24 * hour

let database: TestConfiguration
let receiverId: string
let work: Awaited<ReturnType<typeof takeAllShards>>

beforeAll(async () => {
  database = await startDatabase()
  receiverId = (await addReceiver(pool())).id
  work = await takeAllShards(pool())
})
afterAll(() => database.stop())
beforeEach(async () => {
  for (const { kind, about } of await listSnoozes(admin)) await unsnooze(admin, { kind, about }, browser)
  await pool().query('DELETE FROM transaction')
  await pool().query('DELETE FROM event')
  await pool().query('DELETE FROM standing')
  await pool().query('DELETE FROM gap')
  await pool().query('DELETE FROM endpoint_state')
})

/** `receive` appends and folds these envelopes, each received so many ms ago. */
async function receive(...reported: readonly (readonly [ago: number, envelope: object])[]) {
  await appendPastDeliveries(
    reported.map(([ago, envelope]) => ({
      receiverId,
      receivedAt: new Date(Date.now() - ago),
      body: Buffer.from(JSON.stringify(envelope)),
    })),
  )
  await foldWaiting(work)
}

const person = crypto.randomUUID()

const step = (transactionUuid: string, subType: string, data: object = {}) => ({
  type: 'fiatToCrypto',
  subType,
  uuid: person,
  data: { transactionUuid, status: subType, amountFiat: 5, currencyFiat: 'EUR', ...data },
})
const said = (type: string, subType: string, data: object = {}) => ({ type, subType, uuid: person, data })

const about = (uuid: string) => `transaction:${uuid}`
const uuids = () => ({ old: crypto.randomUUID(), young: crypto.randomUUID() })

describe('what needs attention', () => {
  it('leaves half of the connections to other pages, however many open the overview at once', async () => {
    const [held, failed] = [crypto.randomUUID(), crypto.randomUUID()]
    await receive([2 * day, step(held, 'ON_HOLD')], [hour, step(failed, 'FAILED')])
    let most = 0
    const count = () => {
      most = Math.max(most, pool().totalCount - pool().idleCount + pool().waitingCount)
    }
    pool().on('acquire', count)
    await Promise.all([readAttentionItems(admin), readAttentionItems(support), readAttentionItems(admin)])
    pool().off('acquire', count)
    expect(most).toBeGreaterThan(1)
    expect(most).toBeLessThanOrEqual(poolSizes().pages / 2)
  })

  it('lists waiting items by how long they wait, however long ago they began', async () => {
    const { old, young } = uuids()
    const stuck = crypto.randomUUID()
    const fresh = crypto.randomUUID()
    const gap = crypto.randomUUID()
    await receive(
      [40 * day, step(old, 'PENDING')],
      [40 * day - hour, step(old, 'ON_HOLD', { status: 'ON_HOLD_KYC' })],
      [3 * day, step(young, 'ON_HOLD')],
      [2 * day, step(stuck, 'IN_PROGRESS')],
      [60_000, step(fresh, 'IN_PROGRESS')],
    )
    await pool().query(
      `INSERT INTO gap (id, kind, about, began_at, ended_at) VALUES ($1, 'down', '', now() - interval '7 days', now())`,
      [gap],
    )
    const { waiting, happened, kinds } = await readAttentionItems(support)
    expect(waiting.map((item) => [item.kind, item.about])).toEqual([
      ['held', about(old)],
      ['gap', gap],
      ['held', about(young)],
      ['stuck', about(stuck)],
    ])
    expect(happened).toEqual([])
    expect(kinds).toEqual([
      { kind: 'held', total: { count: 2, exact: true } },
      { kind: 'stuck', total: { count: 1, exact: true } },
      { kind: 'gap', total: { count: 1, exact: true } },
    ])
  })

  it('counts each transaction from when it came to its step, whatever events followed', async () => {
    const [again, differed, passed] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
    const { old, young } = uuids()
    const mismatch = (transactionUuid: string) =>
      said('senderNameMismatch', 'SENDER_NAME_MISMATCH', { transactionUuid, senderName: 'A' })
    const held = (transactionUuid: string, data: object) =>
      step(transactionUuid, 'ON_HOLD', { status: 'ON_HOLD_KYC', ...data })
    await receive(
      [20 * day, step(passed, 'FAILED')],
      [7 * day, held(again, {})],
      [6 * day, step(old, 'IN_PROGRESS')],
      [5 * day, held(differed, {})],
      [4 * day, held(young, {})],
      [3 * day, said('KYC', 'statusUpdate', { status: 'SOFT_KYC_FAILED' })],
      [3 * hour, held(again, { amountFiat: 6 })],
      [3 * hour, mismatch(differed)],
      [60_000, mismatch(old)],
      [60_000, mismatch(passed)],
    )
    const { waiting, happened } = await readAttentionItems(support)
    const ages = waiting.map(({ kind, about: of, since }) => [
      kind,
      of,
      Math.round((Date.now() - Date.parse(since)) / day),
    ])
    expect(ages).toEqual([
      ['held', about(again), 7],
      ['stuck', about(old), 6],
      ['held', about(differed), 5],
      ['held', about(young), 4],
    ])
    // The person has no earlier events.
    expect(waiting).toMatchObject([{ before: [] }, { before: [] }, { before: [] }, { before: [] }])
    expect(happened.map(({ kind }) => kind)).toEqual([
      'failed-kyc',
      'name-mismatch',
      'name-mismatch',
      'name-mismatch',
    ])
  })

  it('lists events of the person before a hold, and none after it', async () => {
    const { old } = uuids()
    await receive(
      [3 * day, said('walletCreated', 'WALLET_CREATED')],
      [2 * day, said('KYC', 'statusUpdate', { status: 'SOFT_KYC_FAILED' })],
      [2 * day - hour, step(old, 'ON_HOLD')],
      [day, said('KYC', 'statusUpdate', { status: 'FULL_USER' })],
    )
    const [item] = (await readAttentionItems(support)).waiting
    expect(item).toMatchObject({ kind: 'held', before: [{ type: 'KYC', status: 'SOFT_KYC_FAILED' }] })
  })

  it('knows of each hold for KYC whose turn the verification is by now', async () => {
    const of = (uuid: string, envelope: object) => ({ ...envelope, uuid })
    const people = ['FULL_USER', 'KYC_PENDING', 'SUSPENDED', 'KYC_NEEDED'].map((status) => ({
      status,
      uuid: crypto.randomUUID(),
    }))
    await receive(
      ...people.flatMap(({ status, uuid }, n) => [
        [(9 - n) * day, of(uuid, step(crypto.randomUUID(), 'ON_HOLD', { status: 'ON_HOLD_KYC' }))] as const,
        [hour, of(uuid, said('KYC', 'statusUpdate', { status }))] as const,
      ]),
      [4 * day, step(crypto.randomUUID(), 'ON_HOLD', { status: 'ON_HOLD_PROCESS' })],
    )
    await pool().query(`INSERT INTO person (user_uuid, source, status) VALUES ($1, 'test', 'FULL_USER')`, [
      people[3]?.uuid,
    ])
    const { waiting } = await readAttentionItems(support, 'held')
    expect(waiting.map((item) => 'transaction' in item && item.transaction.turn)).toEqual([
      'verified',
      'provider',
      'refused',
      'verified',
      null,
    ])
    await pool().query('DELETE FROM person WHERE user_uuid = $1', [people[3]?.uuid])
  })

  it('lists events of the last fourteen days by kind, the oldest first', async () => {
    const { old, young } = uuids()
    const both = crypto.randomUUID()
    const minimum = crypto.randomUUID()
    const account = crypto.randomUUID()
    const mended = crypto.randomUUID()
    const failedAccount = (uuid: string, status: string) =>
      said('unblockBankAccount', 'statusUpdate', { uuid, status })
    await receive(
      [20 * day, step(old, 'FAILED')],
      [9 * day, step(young, 'FAILED')],
      [8 * day, step(both, 'FAILED')],
      [8 * day - hour, step(both, 'SUCCESS')],
      [7 * day, { ...step(minimum, 'LIMIT_BREACHED'), type: 'cryptoToFiat' }],
      [6 * day, said('senderNameMismatch', 'SENDER_NAME_MISMATCH', { senderName: 'A' })],
      [5 * day, said('duplicateUser', 'DUPLICATE_USER')],
      [4 * day, said('AML', 'statusUpdate', { status: 'FAILED' })],
      [3 * day, failedAccount(account, 'FAILED_CREATION')],
      [3 * day, failedAccount(mended, 'FAILED_CREATION')],
      [2 * day, failedAccount(mended, 'WAITING_CREATION')],
      [2 * day - hour, failedAccount(mended, 'ACTIVE')],
      [day, said('otpNotification', 'EMAIL_DELIVERY_FAILED', { failureType: 'x' })],
    )
    const kinds = async (caller = admin) =>
      (await readAttentionItems(caller)).happened.map(({ kind }) => kind)
    expect(await kinds()).toEqual<AttentionKind[]>([
      'failed',
      'conflict',
      'limit-breached',
      'name-mismatch',
      'duplicate-user',
      'aml',
      'failed-account',
      'bounced-code',
    ])
    expect(await kinds(support)).not.toContain('aml')
    expect((await readAttentionItems(admin, 'failed')).happened).toMatchObject([{ about: about(young) }])
    await receive([60_000, said('AML', 'statusUpdate', { status: 'PASSED' })])
    expect(await kinds()).not.toContain('aml')
  })

  it('lists the accounts that the navigation counts, and no other', async () => {
    const [failed, unknownSince, created] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
    const stood = (uuid: string, status: string) =>
      said('unblockBankAccount', 'statusUpdate', { uuid, status })
    await receive(
      [3 * day, stood(failed, 'FAILED_CREATION')],
      [3 * hour, stood(unknownSince, 'FAILED_CREATION')],
      [3 * hour, stood(created, 'ACTIVE')],
      [2 * hour, stood(unknownSince, 'UNDER_REVIEW')],
      [2 * hour, stood(created, 'UNDER_REVIEW')],
    )
    const { happened } = await readAttentionItems(support, 'failed-account')
    const { rows } = await pool().query(failedAccountsOf('$1'), [100])
    expect(happened.map((item) => 'event' in item && item.event.subjectId)).toEqual([
      `bank-account:${failed}`,
      `bank-account:${unknownSince}`,
    ])
    expect(rows.map(({ subject_id }) => subject_id)).toHaveLength(2)
    expect(happened.map((item) => 'event' in item && item.event.status)).toEqual(
      Array(2).fill('FAILED_CREATION'),
    )
  })

  it('counts a contradiction from when it arrived, whatever events followed', async () => {
    const { old, young } = uuids()
    const over = crypto.randomUUID()
    await receive(
      [20 * day, step(over, 'SUCCESS')],
      [19 * day, step(over, 'FAILED')],
      [12 * day, step(old, 'SUCCESS')],
      [9 * day, step(old, 'FAILED')],
      [8 * day, step(young, 'FAILED')],
      [7 * day, step(young, 'SUCCESS')],
      [2 * hour, step(old, 'SUCCESS', { amountFiat: 6 })],
      [hour, step(over, 'FAILED', { amountFiat: 6 })],
    )
    const { happened } = await readAttentionItems(admin, 'conflict')
    expect(happened.map(({ about: of, since }) => [of, (Date.now() - Date.parse(since)) / day])).toEqual([
      [about(old), expect.closeTo(9, 1)],
      [about(young), expect.closeTo(7, 1)],
    ])
  })

  it('lists a failed verification until the person is verified', async () => {
    const [hard, mended] = [crypto.randomUUID(), crypto.randomUUID()]
    const kyc = (uuid: string, status: string) => ({ ...said('KYC', 'statusUpdate', { status }), uuid })
    await receive(
      [20 * day, kyc(crypto.randomUUID(), 'HARD_KYC_FAILED')],
      [4 * day, kyc(hard, 'KYC_PENDING')],
      [3 * day, kyc(hard, 'HARD_KYC_FAILED')],
      [2 * day, kyc(mended, 'SOFT_KYC_FAILED')],
      [day, kyc(mended, 'FULL_USER')],
    )
    const { happened } = await readAttentionItems(support, 'failed-kyc')
    expect(happened).toMatchObject([{ kind: 'failed-kyc', event: { entityUuid: hard } }])
    const [item] = happened
    if (!item) return
    await snooze(support, { kind: 'failed-kyc', about: item.about, since: item.since, reason }, browser)
    expect((await readAttentionItems(support, 'failed-kyc')).happened).toEqual([])
  })

  it('lists a bounced code of a person once, until a later code is used', async () => {
    const [lasting, over] = [crypto.randomUUID(), crypto.randomUUID()]
    const bounced = (uuid: string, failureType: string) => ({
      ...said('otpNotification', 'EMAIL_DELIVERY_FAILED', { failureType }),
      uuid,
    })
    const listed = async () => {
      const { happened, kinds } = await readAttentionItems(support, 'bounced-code')
      expect(kinds[0]?.total.count ?? 0).toBe(happened.length)
      return happened.map((item) => 'event' in item && item.event.entityUuid)
    }
    await receive(
      [5 * day, bounced(over, 'a')],
      [4 * day, bounced(lasting, 'a')],
      [3 * day, bounced(over, 'b')],
      [2 * day, bounced('no uuid', 'a')],
    )
    const ago = (ms: number) => new Date(Date.now() - ms)
    await recordSignIn(over, 'code', ago(4 * day))
    await recordSignIn(over, 'wallet', ago(day))
    await recordSignIn(crypto.randomUUID(), 'code', ago(day))
    expect(await listed()).toEqual([lasting, over, 'no uuid'])
    await recordSignIn(over, 'code', ago(day))
    expect(await listed()).toEqual([lasting, 'no uuid'])
    await receive([hour, bounced(over, 'c')])
    expect(await listed()).toEqual([lasting, 'no uuid', over])
  })

  it('lists a company once that failed verification or was suspended, until that is over', async () => {
    const [failed, twice, mended, back] = Array.from({ length: 4 }, () => crypto.randomUUID())
    const of = (type: string, uuid: string | undefined, status: string) => ({
      ...said(type, 'statusUpdate', { status }),
      uuid,
    })
    await receive(
      [20 * day, of('KYB', crypto.randomUUID(), 'KYB_FAILED')],
      [5 * day, of('KYB', failed, 'KYB_FAILED')],
      [4 * day, of('KYB', mended, 'KYB_FAILED')],
      [4 * day, of('entityStatusUpdate', back, 'SUSPENDED')],
      [3 * day, of('KYB', twice, 'KYB_FAILED')],
      [2 * day, of('entityStatusUpdate', twice, 'SUSPENDED')],
      [2 * day, of('KYB', mended, 'KYB_PASSED')],
      [day, of('entityStatusUpdate', back, 'ACTIVE')],
      [day, of('KYC', crypto.randomUUID(), 'SUSPENDED')],
      [day, of('KYB', crypto.randomUUID(), 'KYB_PENDING')],
    )
    const listed = async () =>
      (await readAttentionItems(support, 'failed-company')).happened.flatMap((item) =>
        'event' in item ? [[item.event.entityUuid, item.event.type]] : [],
      )
    expect(await listed()).toEqual([
      [failed, 'KYB'],
      [twice, 'entityStatusUpdate'],
    ])
    const { kinds, happened } = await readAttentionItems(support, 'failed-company')
    expect(kinds).toContainEqual({ kind: 'failed-company', total: { count: 2, exact: true } })
    for (const item of happened)
      await snooze(support, { kind: item.kind, about: item.about, since: item.since, reason }, browser)
    // The earlier event about the company was not snoozed.
    expect(await listed()).toEqual([[twice, 'KYB']])
  })

  it('lists a check that failed by its subType without a status, and none without a state', async () => {
    const aml = (subType: string, data: object = {}) => ({
      ...said('AML', subType, data),
      uuid: crypto.randomUUID(),
    })
    const failed = aml('FAILED')
    await receive(
      [4 * day, failed],
      [3 * day, aml('PASSED')],
      [2 * day, aml('FAILED', { status: 'PASSED' })],
      [day, aml('statusUpdate')],
    )
    expect((await readAttentionItems(admin, 'aml')).happened).toMatchObject([
      { kind: 'aml', event: { entityUuid: failed.uuid } },
    ])
  })

  it('lists an endpoint that is not active instead of the gap that lasts because of it', async () => {
    await pool().query(
      `INSERT INTO gap (id, kind, about, began_at) VALUES (gen_random_uuid(), 'auto-disabled', gen_random_uuid()::text, now())`,
    )
    expect((await readAttentionItems(support)).waiting).toMatchObject([{ kind: 'endpoint' }])
  })

  it('lists every endpoint that is off separately, whatever else waits or was requested', async () => {
    await pool().query(
      `INSERT INTO gap (id, kind, about, began_at) VALUES (gen_random_uuid(), 'auto-disabled', gen_random_uuid()::text, now())`,
    )
    for (const only of [null, 'failed'] as const)
      expect((await readAttentionItems(support, only)).off).toMatchObject([
        { gap: { kind: 'auto-disabled' } },
      ])
    expect((await readAttentionItems(callerWith('compliance'))).off).toEqual([])
  })

  it('lists an endpoint that the service disabled, wherever it delivers, while it is off and listed', async () => {
    const [off, gone, active] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
    const see = (endpoints: readonly [uuid: string, status: string][], at: number) =>
      inTransaction(pool(), async (tx) => {
        const seen = endpoints.map(([uuid, status]) => ({
          ...{ uuid, status, description: 'The shop', url: 'https://merchant.example/hook' },
        }))
        await recordStates(tx, seen, at)
        await recordServiceOutcome(tx, 'seen', null, at)
      })
    const auto = 'auto_disabled'
    const now = Date.now()
    await see(
      [
        [off, 'active'],
        [gone, auto],
        [active, auto],
      ],
      now - 3 * hour,
    )
    await see(
      [
        [off, auto],
        [active, 'active'],
      ],
      now - 2 * hour,
    )
    await see(
      [
        [off, auto],
        [active, 'active'],
      ],
      now - hour,
    )
    const waiting = async () => (await readAttentionItems(support)).waiting
    const [item, ...others] = await waiting()
    expect(others).toEqual([])
    expect(item).toMatchObject({
      kind: 'endpoint',
      endpoint: { uuid: off, name: 'The shop', status: auto },
    })
    expect(Date.parse(item?.since ?? '')).toBe(now - 3 * hour)
    const [seen] = (await readAttentionItems(support)).off
    expect(Date.parse(seen?.offSince?.after ?? '')).toBe(now - 3 * hour)
    expect(Date.parse(seen?.offSince?.by ?? '')).toBe(now - 2 * hour)
    expect((await readAttentionItems(support, 'endpoint')).waiting).toHaveLength(1)
    expect((await readAttentionItems(callerWith('compliance'))).waiting).toEqual([])
    await snooze(
      support,
      { kind: 'endpoint', about: item?.about ?? '', since: item?.since ?? '', reason },
      browser,
    )
    expect(await waiting()).toEqual([])
    // The endpoint was on again, and is off again.
    await see([[off, 'active']], now - 60_000)
    await see([[off, auto]], Date.now())
    expect(await waiting()).toMatchObject([{ kind: 'endpoint', endpoint: { uuid: off } }])
    // The gap replaces the endpoint until it is closed while it lasts.
    await pool().query(
      `INSERT INTO gap (id, kind, about, began_at) VALUES (gen_random_uuid(), 'disabled', $1, now())`,
      [off],
    )
    expect(await waiting()).toMatchObject([{ kind: 'endpoint', gap: { kind: 'disabled' } }])
    await see([[off, 'disabled']], Date.now())
    await pool().query(`UPDATE gap SET outcome = 'no-gap'`)
    expect(await waiting()).toMatchObject([{ endpoint: { uuid: off, status: 'disabled' } }])
    await pool().query('DELETE FROM gap')
    expect(await waiting()).toEqual([])
  })

  it('counts events of unknown types', async () => {
    await receive(
      [20 * day, said('oldNews', 'x')],
      [3 * hour, said('brandNew', 'a')],
      [2 * hour, said('brandNew', 'b')],
      [hour, { subType: 'no type', uuid: person }],
    )
    expect((await readAttentionItems(support)).unknownTypes).toMatchObject([
      { type: 'brandNew', total: { count: 2, exact: true } },
      { type: null, total: { count: 1, exact: true } },
    ])
    expect((await readAttentionItems(callerWith('auditor'))).unknownTypes).toEqual([])
  })

  it('shows staff only what their role may see', async () => {
    await pool().query(
      `INSERT INTO gap (id, kind, about, began_at) VALUES (gen_random_uuid(), 'down', '', now())`,
    )
    await receive(
      [hour, said('AML', 'statusUpdate', { status: 'FAILED' })],
      [hour, said('duplicateUser', 'DUPLICATE_USER')],
    )
    const kinds = async (role: 'support' | 'compliance') =>
      (await readAttentionItems(callerWith(role))).kinds.map(({ kind }) => kind)
    expect(await kinds('support')).toEqual(['gap', 'duplicate-user'])
    expect(await kinds('compliance')).toEqual(['duplicate-user', 'aml'])
    await expect(readAttentionItems(callerWith('end-user'))).rejects.toThrow(NotAllowed)
    await expect(listSnoozes(callerWith('end-user'))).rejects.toThrow(NotAllowed)
  })
})

describe('a mute', () => {
  it('hides a row with a note, for everybody, until something new happens to it', async () => {
    const { old } = uuids()
    await receive([7 * day, step(old, 'ON_HOLD')])
    const [item] = (await readAttentionItems(support)).waiting
    if (!item) throw new Error('nothing is held')
    const { kind, since } = item
    await snooze(support, { kind, about: item.about, since, reason }, browser)
    expect(await readAttentionItems(admin)).toMatchObject({ kinds: [], waiting: [] })
    expect(await listSnoozes(admin)).toMatchObject([
      { kind: 'held', about: about(old), note: reason, by: support.id, subjectId: about(old) },
    ])
    // A free text may name anybody.
    expect(await listSnoozes(callerWith('auditor'))).toMatchObject([
      { kind: 'held', note: null, by: support.id },
    ])
    await receive(
      [day, step(old, 'IN_PROGRESS')],
      [day - hour, step(old, 'ON_HOLD', { status: 'ON_HOLD_PROCESS' })],
    )
    expect((await readAttentionItems(admin)).waiting).toMatchObject([{ kind: 'held', about: about(old) }])
    // The transaction has been on hold since its first event. The snooze covers the last move that the author saw.
    await receive([hour, step(old, 'ON_HOLD', { status: 'ON_HOLD_PROCESS', amountFiat: 6 })])
    const [again] = (await readAttentionItems(support)).waiting
    if (!again || !('transaction' in again)) throw new Error('nothing is held')
    expect(Date.parse(again.since)).toBeLessThan(Date.parse(again.transaction.lastMoveAt))
    const seen = { kind: again.kind, about: again.about, since: again.transaction.lastMoveAt, reason }
    await snooze(support, seen, browser)
    expect((await readAttentionItems(admin)).waiting).toEqual([])
    const { rows } = await pool().query(
      `SELECT action, outcome, ${auditReason} FROM audit WHERE target = $1 ORDER BY id`,
      [about(old)],
    )
    expect(rows).toEqual(Array(2).fill({ action: 'overview.mute', outcome: 'done', reason }))
  })

  it('is taken back once', async () => {
    const { old } = uuids()
    await receive([day, step(old, 'FAILED')])
    const [item] = (await readAttentionItems(support)).happened
    if (!item) throw new Error('nothing failed')
    const { kind, since } = item
    await snooze(support, { kind, about: item.about, since, reason }, browser)
    expect((await readAttentionItems(support)).happened).toEqual([])
    await unsnooze(support, { kind, about: item.about }, browser)
    expect((await readAttentionItems(support)).happened).toHaveLength(1)
    await expect(unsnooze(support, { kind, about: item.about }, browser)).rejects.toThrow(Refused)
  })

  it('covers nothing that its author cannot have seen', async () => {
    const { old } = uuids()
    await receive([day, step(old, 'ON_HOLD')])
    await snooze(
      support,
      { kind: 'held', about: about(old), since: new Date(Date.now() - 2 * day).toISOString(), reason },
      browser,
    )
    expect((await readAttentionItems(support)).waiting).toHaveLength(1)
  })

  it('is only for roles that work on cases', async () => {
    const form = { kind: 'held', about: 'transaction:x', since: new Date().toISOString(), reason } as const
    await expect(snooze(callerWith('auditor'), form, browser)).rejects.toThrow(NotAllowed)
    // A role may not snooze kinds that it may not see either.
    for (const [role, kind] of [
      ['support', 'aml'],
      ['compliance', 'gap'],
    ] as const) {
      await expect(snooze(callerWith(role), { ...form, kind }, browser)).rejects.toThrow(NotAllowed)
      await expect(unsnooze(callerWith(role), { ...form, kind }, browser)).rejects.toThrow(NotAllowed)
    }
    await expect(unsnooze(callerWith('auditor'), form, browser)).rejects.toThrow(NotAllowed)
  })
})
