import crypto from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Role } from '#lib/access/rules/roles.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { openListener } from '#lib/platform/db/listen.ts'
import { advisoryLocks } from '#lib/platform/db/locks.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { env } from '#lib/platform/env.ts'
import { CursorRefused, NotAllowed, Refused } from '#lib/platform/refusals.ts'
import { callerWith, newBrowser } from '../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../test/database.ts'
import { captureLog } from '../../test/log.ts'
import { checkChainNow, readChainState } from './check-chain.ts'
import { startGivingHeads } from './heads.ts'
import { type AuditFilters, AuditFiltersSchema, listAudit } from './list-audit.ts'
import { type AuditEntry, recordAudit, recordAuditAlone } from './record-audit.ts'

const admin = callerWith('admin')
const auditor = callerWith('auditor')
const browser = newBrowser()
const endpoint = crypto.randomUUID()
let database: TestConfiguration

beforeAll(async () => {
  database = await startDatabase()
  await pool().query(
    `INSERT INTO member (id, user_uuid, name, role) VALUES ($1, $2, 'Administrator', 'admin')`,
    [uuidv7(), admin.userUuid],
  )
  await add({
    actor: admin,
    action: 'endpoint.create',
    target: endpoint,
    outcome: 'done',
    reason: 'for =tests',
  })
  await add({
    actor: admin,
    action: 'settings.change',
    outcome: 'done',
    change: { before: { merchantName: 'a' }, after: { merchantName: 'b' } },
  })
  await add({ actor: null, action: 'session.start', outcome: 'refused', details: { why: 'wrong-code' } })
})
afterAll(() => database.stop())

const add = (entry: AuditEntry) => inTransaction(pool(), (tx) => recordAudit(tx, entry, browser))
const statusChange = (before: string, after: string) => ({
  before: { status: before },
  after: { status: after },
})
const actions = async (filters: AuditFilters) =>
  (await listAudit(auditor, filters)).rows.map(({ action }) => action)

it('shows who did what, why, from where, and what was before', async () => {
  const { rows } = await listAudit(auditor, { who: 'administrator' })
  expect(rows).toMatchObject([
    {
      action: 'settings.change',
      actor: { id: admin.id, name: 'Administrator', role: 'admin' },
      changes: [{ name: 'merchantName', before: 'a', after: 'b' }],
      details: [],
    },
    { action: 'endpoint.create', target: endpoint, reason: 'for =tests', ip: browser.ip },
  ])
})

it.each<[AuditFilters, string[]]>([
  [{}, ['session.start', 'settings.change', 'endpoint.create']],
  [{ action: 'endpoint.' }, ['endpoint.create']],
  [{ action: 'session.start' }, ['session.start']],
  [{ action: 'session' }, []],
  [{ about: endpoint }, ['endpoint.create']],
  [{ outcome: 'refused' }, ['session.start']],
  [{ who: 'nobody' }, []],
  [{ from: '2999-01-01' }, []],
  [{ until: '2000-01-01' }, []],
])('%o finds %j', async (filters, found) => {
  expect(await actions(filters)).toEqual(found)
})

it('whatever an address asks for that cannot be read is left out', () => {
  const asked = { who: ' ', action: 'DROP TABLE', outcome: 'perhaps', from: '31.12.2026', about: ['a', 'b'] }
  expect(AuditFiltersSchema.parse(asked)).toEqual({})
  expect(AuditFiltersSchema.parse({ from: '0000-01-01', until: '0000-12-31' })).toEqual({})
})

it('goes on where a page ended', async () => {
  const first = await listAudit(auditor, { limit: 2 })
  const second = await listAudit(auditor, { limit: 2, before: first.next ?? undefined })
  expect([...first.rows, ...second.rows].map(({ action }) => action)).toEqual(await actions({}))
  expect(second.next).toBeNull()
})

it.each(['end-user', 'support'] as const)('is not for the role %s', async (role) => {
  const caller = callerWith(role)
  await expect(listAudit(caller, {})).rejects.toThrow(NotAllowed)
  await expect(readChainState(caller)).rejects.toThrow(NotAllowed)
  await expect(checkChainNow(caller, {}, browser)).rejects.toThrow(NotAllowed)
})

it('says whether the chain holds, once somebody has looked, and loudly when it does not', async () => {
  const logged = captureLog()
  expect(await readChainState(auditor)).toMatchObject({ check: null, isProtected: false })
  await checkChainNow(auditor, {}, browser)
  expect((await readChainState(auditor)).check).toMatchObject({ faultCount: 0, faults: [] })
  expect(await readChainState(auditor)).toMatchObject({ since: 1, othersSince: 0 })
  for (const target of ['a', 'b'])
    await recordAuditAlone({ actor: auditor, action: 'read.list', target, outcome: 'done' }, browser)
  expect(await readChainState(auditor)).toMatchObject({ since: 3, othersSince: 2 })
  await pool().query(`UPDATE audit SET reason = 'another' WHERE action = 'endpoint.create'`)
  await checkChainNow(auditor, {}, browser)
  expect((await readChainState(auditor)).check).toMatchObject({
    faultCount: 1,
    faults: [expect.stringContaining('position 1 was changed')],
  })
  expect(logged.lines).toMatchObject([{ level: 'error', component: 'audit', faults: 1 }])
  logged.stop()
})

it('says that the end was cut off, by the head that this process gave away last', async () => {
  const source = openListener(env().databaseDirectUrl)
  const logged = captureLog()
  const heads = await startGivingHeads(pool(), source)
  await heads.stop()
  await pool().query(
    `DELETE FROM audit WHERE id = (SELECT entry_id FROM audit_link ORDER BY position DESC LIMIT 1)`,
  )
  await pool().query('DELETE FROM audit_link WHERE position = (SELECT max(position) FROM audit_link)')
  await checkChainNow(auditor, {}, browser)
  const { faults } = (await readChainState(auditor)).check ?? {}
  expect(faults).toContainEqual(expect.stringContaining('was cut off'))
  logged.stop()
  await source.close()
})

it('is refused while another process looks', async () => {
  const other = await pool().connect()
  await other.query('BEGIN')
  await other.query('SELECT pg_advisory_xact_lock($1)', [advisoryLocks.auditCheck])
  await expect(checkChainNow(auditor, {}, browser)).rejects.toThrow(Refused)
  await other.query('ROLLBACK')
  other.release()
})

it('a look that fails keeps no later one away', async () => {
  await pool().query('ALTER TABLE audit_link RENAME TO elsewhere')
  await expect(checkChainNow(auditor, {}, browser)).rejects.toThrow('audit_link')
  await pool().query('ALTER TABLE elsewhere RENAME TO audit_link')
  const { rowCount } = await pool().query(
    `SELECT FROM pg_locks WHERE locktype = 'advisory'
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  )
  expect(rowCount).toBe(0)
})

describe('that something was taken off the overview', () => {
  const event = crypto.randomUUID()
  const transaction = `transaction:${crypto.randomUUID()}`
  const reason = 'The check went badly'
  const snoozes = async (role: Role, about?: string) =>
    (await listAudit(callerWith(role), { action: 'overview.', about })).rows.map((row) => JSON.stringify(row))

  beforeAll(async () => {
    const entry = { actor: admin, outcome: 'done' } as const
    await add({ ...entry, action: 'overview.mute', target: event, reason, details: { kind: 'aml' } })
    await add({ ...entry, action: 'overview.unmute', target: event, details: { kind: 'aml' } })
    const mismatch = { action: 'overview.mute', target: `${event}-2`, reason } as const
    await add({ ...entry, ...mismatch, details: { kind: 'name-mismatch' } })
    const held = { action: 'overview.mute', target: transaction, reason: 'Asked' } as const
    await add({ ...entry, ...held, details: { kind: 'held' } })
  })

  it('tells an auditor neither what it was nor why, where a check may have gone badly', async () => {
    const [held, ...others] = await snoozes('auditor')
    expect(held).toContain(transaction)
    // A free text about a customer may name anybody.
    expect(held).not.toContain('Asked')
    expect(held).toContain('"not-for-role"')
    expect(held).toContain('"held"')
    expect(others).toHaveLength(3)
    // An entry that alone is left empty would reveal its kind.
    for (const row of others) expect(row).not.toMatch(new RegExp(`${event}|aml|mismatch|${reason}`))
    expect(others[0]).toContain('"overview.mute"')
  })

  it('tells an auditor nothing by a question for it either', async () => {
    expect(await snoozes('auditor', event)).toEqual([])
    expect(await snoozes('auditor', transaction)).toHaveLength(1)
  })

  it('tells those who may know of such checks all of it', async () => {
    const [aml] = await snoozes('admin', event)
    expect(aml).toContain('"aml"')
    expect((await snoozes('admin', event))[1]).toContain(reason)
  })
})

describe('the address and the status of an endpoint', () => {
  const [uuid, gap] = [crypto.randomUUID(), crypto.randomUUID()]
  const [replay, alert] = [crypto.randomUUID(), crypto.randomUUID()]
  const address = 'https://shop.example/…'
  const entries = [
    { action: 'endpoint.create', target: address, details: { url: address, description: 'The shop' } },
    { action: 'endpoint.set-status', target: uuid, change: statusChange('active', 'disabled') },
    { action: 'gap.close', target: gap, details: { outcome: 'some-missing' } },
    { action: 'replay.start', target: replay, details: { address, deliveries: 7 } },
    { action: 'alert.acknowledge', target: alert, details: { condition: 'endpoint-off' } },
  ] as const
  const facts = /shop|disabled|some-missing|endpoint-off/
  const reason = 'a move'
  const read = async (role: Role, about: string) =>
    (await listAudit(callerWith(role), { about })).rows.map((row) => JSON.stringify(row))

  beforeAll(async () => {
    for (const entry of entries) await add({ ...entry, actor: admin, outcome: 'done', reason })
  })

  it.each(entries.slice(1))('are not in $action for compliance', async ({ action, target }) => {
    const [row] = await read('compliance', target)
    expect(row).toContain(action)
    expect(row).toContain(reason)
    expect(row).not.toMatch(facts)
    expect((await read('auditor', target))[0]).toMatch(facts)
  })

  it('are not the target of an entry for compliance, who do not find it by them', async () => {
    expect(await read('compliance', address)).toEqual([])
    expect(await read('auditor', address)).toHaveLength(1)
    expect(await read('compliance', replay)).toEqual([expect.stringContaining('"deliveries"')])
    const { rows } = await listAudit(callerWith('compliance'), { action: 'endpoint.create' })
    expect(rows[0]).toMatchObject({ target: null, details: [], changes: [], reason })
  })
})

it('names an endpoint and whoever was invited, to those who may know of them', async () => {
  const [uuid, invitation] = [crypto.randomUUID(), uuidv7()]
  await pool().query(
    `INSERT INTO endpoint_state (endpoint_uuid, seen_from, seen_until, status, name)
     VALUES ($1, '2026-01-01', '2026-01-02', 'active', 'Shop'), ($1, '2026-01-03', now(), 'disabled', 'Payments')`,
    [uuid],
  )
  await pool().query(
    `INSERT INTO access_link (id, kind, token_digest, name, created_by, expires_at)
     VALUES ($1, 'invitation', $2, 'Kim Lima', '', now())`,
    [invitation, Buffer.from(invitation)],
  )
  const entry = { actor: admin, outcome: 'done' } as const
  await add({ ...entry, action: 'endpoint.change', target: uuid })
  await add({ ...entry, action: 'overview.mute', target: `endpoint:${uuid}`, details: { kind: 'endpoint' } })
  await add({ ...entry, action: 'member.invite', target: invitation })
  const names = async (role: Role, about: string) =>
    (await listAudit(callerWith(role), { about })).rows.map(({ targetName }) => targetName)
  for (const about of [uuid, `endpoint:${uuid}`]) expect(await names('auditor', about)).toEqual(['Payments'])
  expect(await names('compliance', uuid)).toEqual([null])
  expect(await names('compliance', invitation)).toEqual(['Kim Lima'])
})

it('goes on where a page ended, also when its last entry is gone, and refuses an id alone', async () => {
  const expiring = { actor: null, action: 'session.start', target: 'nobody', outcome: 'refused' } as const
  for (let n = 0; n < 2; n++) await add(expiring)
  const first = await listAudit(auditor, { limit: 1 })
  const [last] = first.rows
  await pool().query('DELETE FROM audit WHERE id = $1', [last?.id])
  const second = await listAudit(auditor, { limit: 1, before: first.next ?? undefined })
  expect(second).toMatchObject({ rows: [{ target: 'nobody' }], next: expect.any(String) })
  await expect(listAudit(auditor, { before: last?.id })).rejects.toThrow(CursorRefused)
})
