import { beforeEach, expect, it, vi } from 'vitest'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { type AuditEntry, recordAudit } from '#lib/audit/record-audit.ts'
import { verifyChain } from '#lib/audit/verify-chain.ts'
import { snooze } from '#lib/operations/overview/snoozes.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { withPersonDatabase } from '../../../test/person-database.ts'
import { beginErasure, runErasure } from './erase-user.ts'

const { pool, known, erase } = withPersonDatabase()
const admin = callerWith('admin')
const browser = newBrowser()

beforeEach(() => pool().query('TRUNCATE audit, audit_link, audit_reason, admin_notice, replay, gap'))

const record = (action: AuditEntry['action'], target: string | undefined, reason: string, person?: string) =>
  inTransaction(pool(), (tx) =>
    recordAudit(
      tx,
      {
        actor: admin,
        action,
        outcome: 'done',
        reason,
        ...(target !== undefined && { target }),
        ...(person !== undefined && { details: { person } }),
      },
      browser,
    ),
  )
const reasons = async () =>
  (
    await pool().query(
      `SELECT COALESCE(audit.reason, why.text) AS reason FROM audit LEFT JOIN audit_reason AS why ON why.entry_id = audit.id
       WHERE action NOT IN ('user.erase', 'audit.remove-reason') ORDER BY audit.id`,
    )
  ).rows.map(({ reason }) => reason)

it('removes the reasons of actions on a person, their events and their transactions', async () => {
  const [ana, bob] = [await known(), await known()]
  const { rows } = await pool().query('SELECT id FROM event WHERE entity_uuid = $1 LIMIT 1', [ana.userUuid])
  const about = `transaction:${ana.transactions[0]}`
  await snooze(admin, { kind: 'held', about, since: new Date().toISOString(), reason: 'Rang twice' }, browser)
  await record('read.field', ana.transactions[0], 'Rang twice')
  await record('read.body', rows[0]?.id, 'Rang twice')
  await record('user.export', ana.userUuid, 'Rang twice')
  await record('read.match', bob.transactions[0], 'Rang twice', ana.userUuid)
  await record('read.field', bob.transactions[0], `Same wallet as ${ana.targetAddress}`)
  await record('endpoint.create', 'e', `For ${ana.iban}`)
  await record('read.field', bob.transactions[0], 'Rang once')
  await erase(ana.userUuid)
  expect(await reasons()).toEqual([null, null, null, null, null, null, null, 'Rang once'])
  expect(await verifyChain(pool())).toMatchObject({ reasonsRemoved: 7, faultCount: 0 })
})

it('removes the reasons that older entries hold themselves', async () => {
  const ana = await known()
  await pool().query(
    `INSERT INTO audit (id, action, target, outcome, reason)
     VALUES (gen_random_uuid(), 'user.export', $1, 'done', 'Rang twice'), (gen_random_uuid(), 'gap.close', 'x', 'done', 'Rang once')`,
    [ana.userUuid],
  )
  await erase(ana.userUuid)
  expect((await reasons()).toSorted()).toEqual(['Rang once', null])
  expect(await verifyChain(pool())).toMatchObject({ reasonsRemoved: 1, faultCount: 0 })
})

it('removes the reasons that are given while it runs', async () => {
  const ana = await known()
  const id = await inTransaction(pool(), (tx) => beginErasure(tx, ana.userUuid))
  await record('read.field', ana.transactions[0], 'Rang twice')
  await record('gap.close', 'x', `Wrote from ${ana.email}`)
  await runErasure(pool(), id)
  expect(await reasons()).toEqual([null, null])
})

it('removes the reasons in notices, and those of gaps and replays that name the person', async () => {
  const [ana, bob] = [await known(), await known()]
  await inTransaction(pool(), async (tx) => {
    await tellAdmins(tx, { kind: 'data-exported', actor: null, about: ana.userUuid, reason: 'Rang twice' })
    await tellAdmins(tx, { kind: 'data-exported', actor: null, reason: `Asked by ${ana.email}` })
    await tellAdmins(tx, { kind: 'data-exported', actor: null, about: bob.userUuid, reason: 'Rang once' })
  })
  await pool().query(
    `INSERT INTO gap (id, kind, about, began_at, reason)
     SELECT gen_random_uuid(), 'silence', '', now(), text FROM unnest($1::text[]) AS text`,
    [[`Lost those of ${ana.accountNumber}`, 'Lost some']],
  )
  await pool().query(
    `INSERT INTO replay (id, kind, filter, pace, reason, actor, total, state)
     SELECT gen_random_uuid(), 'fold', jsonb_build_object('user', of), 1, why, '', 1, 'done'
     FROM unnest($1::text[], $2::text[]) AS given (of, why)`,
    [
      [ana.userUuid, bob.userUuid, bob.userUuid],
      ['Rang twice', `As of ${ana.iban}`, 'Rang once'],
    ],
  )
  await erase(ana.userUuid)
  const all = async (table: string) =>
    (await pool().query(`SELECT reason FROM ${table}`)).rows.map(({ reason }) => reason).toSorted()
  expect(await all('admin_notice')).toEqual(['Rang once', null, null])
  expect(await all('gap')).toEqual(['Erased', 'Lost some'])
  expect(await all('replay')).toEqual(['Erased', 'Erased', 'Rang once'])
})

vi.setConfig({ testTimeout: 60_000 })
