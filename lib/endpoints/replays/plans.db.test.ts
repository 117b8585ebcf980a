import { afterAll, beforeAll, expect, test } from 'vitest'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { makeLists } from '../../../test/lists/make-lists.ts'
import { nodesOf } from '../../../test/plans.ts'
import { createEmptyDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { configure } from '../../../test/service.ts'
import { type ReplayFilter, ReplayFilterSchema } from './replay-forms.ts'
import { rowByRow, selectForReplay } from './replay-store.ts'

let database: TestDatabase
let some: { type: string; user: string; transaction: string; event: string; delivery: string }

beforeAll(async () => {
  database = await createEmptyDatabase()
  await makeLists(database.url, 60_000)
  configure({ DATABASE_URL: database.url })
  await pool().query(
    `INSERT INTO delivery (id, seq, receiver_id, received_at, body)
     SELECT delivery_id, seq, receiver_id, received_at, '{}' FROM event_delivery`,
  )
  await pool().query(`UPDATE event SET type = 'KYC' WHERE get_byte(fingerprint, 0) = 7 AND position = 0`)
  await pool().query('ANALYZE')
  const { rows } = await pool().query(
    `SELECT e.type, entity_uuid AS user, substr(subject_id, 13) AS transaction, e.id AS event, e.id AS delivery
     FROM event e LIMIT 1`,
  )
  some = rows[0]
})
afterAll(async () => {
  await pool().end()
  globalThis.rampartPool = undefined
  await database.drop()
})

/** The lists begin at midnight and last an hour and 40 minutes. An id may be an hour older than its delivery. */
const lately = { from: '2026-09-01T02:30', to: '2026-09-01T02:31' }

const byDelivery = /^(delivery_.*pkey|event_delivery_delivery_id_idx)$/

test.each<[string, () => unknown, string | RegExp]>([
  ['a rare type', () => ({ type: 'KYC' }), 'event_type_id_idx'],
  ['a type that there is not', () => ({ type: 'nothing' }), 'event_type_id_idx'],
  ['a user', () => ({ user: some.user }), 'event_entity_uuid_id_idx'],
  ['a transaction', () => ({ transaction: some.transaction }), 'event_delivery_pkey'],
  ['an event', () => ({ event: some.event }), 'event_id_idx'],
  ['a delivery', () => ({ delivery: some.delivery }), byDelivery],
  ['a time', () => lately, byDelivery],
  ['a user, each event once', () => ({ user: some.user, once: 'yes' }), 'event_entity_uuid_id_idx'],
  ['a time, each event once', () => ({ ...lately, once: 'yes' }), byDelivery],
  ['a common type in a time', () => ({ type: some.type, ...lately }), byDelivery],
])('the deliveries of %s are found by an index', async (_, filter, index) => {
  const nodes = await planOf(ReplayFilterSchema.parse(filter()))
  for (const node of nodes) if (node.table !== 'receiver') expect(node.type).not.toBe('Seq Scan')
  expect(nodes.some((node) => node.index?.match(index))).toBe(true)
})

test.each([
  [{}, /Hash|Merge|Sort/],
  // Only what the scan found is sorted.
  [{ once: 'yes' }, /Hash|Merge/],
])(
  'deliveries of a common type are read row by row, so that the limit ends the scan: %j',
  async (also, not) => {
    for (const { type } of await planOf(ReplayFilterSchema.parse({ type: some.type, ...also }))) {
      expect(type).not.toMatch(not)
    }
  },
)

async function planOf(filter: ReplayFilter) {
  const { text, values } = selectForReplay(filter)
  const { rows } = await inTransaction(pool(), async (client) => {
    await client.query(rowByRow)
    return client.query(`EXPLAIN (FORMAT JSON) ${text}`, [...values])
  })
  return nodesOf(rows)
}
