import crypto from 'node:crypto'
import { beforeEach, expect, it, vi } from 'vitest'
import { listNotices, markNoticesSeen, tellAdmins } from '#lib/audit/notices/notices.ts'
import { type AuditEntry, recordAudit } from '#lib/audit/record-audit.ts'
import { verifyChain } from '#lib/audit/verify-chain.ts'
import { snooze } from '#lib/operations/overview/snoozes.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { withPersonDatabase } from '../../../test/person-database.ts'
import { beginErasure, runErasure } from './erase-user.ts'
import { userData } from './export-user.ts'

const { pool, known, erase } = withPersonDatabase()
const admin = callerWith('admin')
const browser = newBrowser()

const exported = async (userUuid: string) =>
  JSON.parse((await Array.fromAsync(userData(pool(), userUuid))).join(''))

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

it('leaves the names of others in notices that a former admin saw or caused', async () => {
  const [jo, lee] = [{ ...(await known()), member: crypto.randomUUID() }, crypto.randomUUID()]
  await pool().query(
    `INSERT INTO member (id, user_uuid, name, role) VALUES ($1, $2, 'Jo', 'admin'), ($3, NULL, 'Lee', 'support')`,
    [jo.member, jo.userUuid, lee],
  )
  const asJo = callerWith('admin', { userUuid: jo.userUuid, memberId: jo.member, name: 'Jo' })
  const asMax = callerWith('admin', { name: 'Max' })
  const ofLee = { about: lee, reason: 'Lee was late' }
  await inTransaction(pool(), async (tx) => {
    const lost = { member: 'Lee', passkey: 'Lee’s phone' }
    await tellAdmins(tx, { kind: 'member-removed', actor: asJo, ...ofLee, facts: { member: 'Lee' } })
    await tellAdmins(tx, { kind: 'passkey-copied', actor: null, ...ofLee, facts: lost })
    await tellAdmins(tx, {
      kind: 'role-not-said',
      actor: asMax,
      ...ofLee,
      facts: { member: 'Lee', came: jo.email },
    })
    await tellAdmins(tx, { kind: 'data-revealed', actor: asJo, about: lee, facts: { person: 'user Lee' } })
    await tellAdmins(tx, {
      kind: 'data-exported',
      actor: asJo,
      reason: 'Lee asked',
      facts: { what: 'of Lee' },
    })
    const ofJo = { about: jo.member, reason: 'She left', facts: { member: 'Jo', before: 'Admin' } }
    await tellAdmins(tx, { kind: 'member-removed', actor: asMax, ...ofJo })
  })
  const { unseen } = await listNotices(asJo)
  for (const admin of [asJo, asMax]) await markNoticesSeen(admin, { unseen })
  await pool().query('UPDATE member SET removed_at = now() WHERE id = $1', [jo.member])
  const { adminNotices } = await exported(jo.userUuid)
  const shown = adminNotices.map(({ at: _, ...notice }: { at: string }) => notice)
  expect(shown).toEqual([
    { kind: 'member-removed', reason: null, facts: {}, byThePerson: true },
    { kind: 'passkey-copied', reason: null, facts: {}, byThePerson: null },
    { kind: 'role-not-said', reason: null, facts: { came: jo.email }, byThePerson: false },
    { kind: 'data-revealed', reason: null, facts: {}, byThePerson: true },
    { kind: 'data-exported', reason: null, facts: {}, byThePerson: true },
    {
      kind: 'member-removed',
      reason: 'She left',
      facts: { member: 'Jo', before: 'Admin' },
      byThePerson: false,
    },
  ])
  await erase(jo.userUuid)
  const { rows } = await pool().query(
    'SELECT kind, actor, actor_name, about, reason, facts, seen_by FROM admin_notice ORDER BY id',
  )
  const [seen_by, byJo] = [[asMax.id], { actor: null, actor_name: 'Erased' }]
  const [byMax, byNobody] = [
    { actor: asMax.id, actor_name: 'Max' },
    { actor: null, actor_name: null },
  ]
  const kept = { ...ofLee, seen_by }
  expect(rows).toEqual([
    { kind: 'member-removed', ...byJo, ...kept, facts: { member: 'Lee' } },
    { kind: 'passkey-copied', ...byNobody, ...kept, facts: { member: 'Lee', passkey: 'Lee’s phone' } },
    { kind: 'role-not-said', ...byMax, ...kept, facts: { member: 'Lee', came: 'Erased' } },
    { kind: 'data-revealed', ...byJo, about: lee, reason: null, facts: { person: 'user Lee' }, seen_by },
    { kind: 'data-exported', ...byJo, about: null, reason: 'Lee asked', facts: { what: 'of Lee' }, seen_by },
    {
      kind: 'member-removed',
      ...byMax,
      about: jo.member,
      reason: null,
      facts: { member: 'Erased', before: 'Admin' },
      seen_by,
    },
  ])
})

vi.setConfig({ testTimeout: 60_000 })
