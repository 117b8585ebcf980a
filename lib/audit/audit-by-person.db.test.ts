import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { callerWith, newBrowser } from '../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../test/database.ts'
import { plansOf } from '../../test/plans.ts'
import { countReading, enterCounted } from './counted-entries.ts'
import { type AuditFilters, listAudit } from './list-audit.ts'
import { type AuditEntry, recordAuditAlone } from './record-audit.ts'

const auditor = callerWith('auditor')
const browser = newBrowser()
let database: TestConfiguration

beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

const add = (entry: AuditEntry) => recordAuditAlone(entry, browser)
const actions = async (filters: AuditFilters) =>
  (await listAudit(auditor, filters)).rows.map(({ action }) => action)

it('leads from a person to who read their data, whatever was read of it', async () => {
  const [person, event] = [crypto.randomUUID(), crypto.randomUUID()]
  const support = callerWith('support')
  await countReading(support, 'read.transaction', crypto.randomUUID(), person)
  await countReading(support, 'read.event', event, null)
  await pool().query(`UPDATE audit_counter SET minute = minute - interval '2 minutes'`)
  await enterCounted(pool())
  await add({ actor: support, action: 'read.person', target: person, outcome: 'done' })
  await add({
    actor: support,
    action: 'read.body',
    target: event,
    outcome: 'done',
    details: { person, subject: null },
  })
  expect(await actions({ about: person })).toEqual(['read.body', 'read.person', 'read.transaction'])
  expect(await actions({ about: person, action: 'read.' })).toHaveLength(3)
  expect(await actions({ about: event })).toEqual(['read.body', 'read.event'])
})

it('finds what concerns a person by indexes in a large audit', async () => {
  await pool().query(
    `ALTER TABLE audit DISABLE TRIGGER audit_linked;
     INSERT INTO audit (id, at, actor, action, target, outcome, details)
     SELECT uuidv7(), now() - n * interval '1 second', 'x', 'read.event', 't' || n, 'done',
       jsonb_build_object('person', 'p' || n / 3) FROM generate_series(1, 40000) AS n;
     INSERT INTO audit_reason (entry_id, text) SELECT id, 'why' FROM audit;
     ALTER TABLE audit ENABLE TRIGGER audit_linked`,
  )
  await pool().query('ANALYZE audit, audit_reason')
  const plan = await plansOf(() => listAudit(auditor, { about: 'p77' }))
  expect(plan.map(({ index }) => index)).toEqual(
    expect.arrayContaining(['audit_person_at_idx', 'audit_target_at_idx']),
  )
})
