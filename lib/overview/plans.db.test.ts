import { afterAll, beforeAll, expect, test } from 'vitest'
import { pool } from '#lib/db/pool.ts'
import { makeLists } from '../../bench/lists/make-lists.ts'

import { callerWith } from '../../test/callers.ts'
import { plansOf } from '../../test/plans.ts'
import { createEmptyDatabase, type TestDatabase } from '../../test/postgres.ts'
import { configure } from '../../test/service.ts'
import { countEndpointLooks } from './count-endpoint-looks.ts'
import { readLooks } from './read-looks.ts'
import { badChecksOf, duplicateUsersOf, failedAccountsOf, failedVerificationsOf } from './standing-looks.ts'

// Every statement is explained, on lists large enough for the planner to want an index.
const admin = callerWith('admin')
let database: TestDatabase

beforeAll(async () => {
  database = await createEmptyDatabase()
  await makeLists(database.url, 120_000)
  configure({ DATABASE_URL: database.url })
  await pool().query(`
    UPDATE transaction SET flags = '{conflict}' WHERE get_byte(sha256(uuid::bytea), 0) = 0;
    UPDATE transaction SET step_began_at = started_at 
      WHERE get_byte(sha256(uuid::bytea), 1) + get_byte(sha256(uuid::bytea), 2) < 10;
    INSERT INTO event (subject_id, id, fingerprint, type, sub_type, position, deliveries, first_received_at, last_received_at, flags)
    SELECT 'entity:' || n, gen_random_uuid(), '', (ARRAY['AML', 'duplicateUser', 'senderNameMismatch', 'otpNotification', 'brandNew'])[1 + n % 5],
      'x', 0, 1, now(), now(), '{}' FROM generate_series(1, 2000) AS n;
    INSERT INTO standing (subject_id, type, state, event_id, started_at, last_move_at)
    SELECT 'entity:' || n, type, CASE WHEN n % 500 = 0 THEN 'FAILED' ELSE good END, gen_random_uuid(), now(), now()
    FROM generate_series(1, 20000) AS n, (VALUES ('KYC', 'FULL_USER'), ('AML', 'PASSED'), ('linkBankAccount', 'ACTIVE')) AS one (type, good);
    INSERT INTO overview_mute SELECT 'held', 'transaction:' || n, 'a note', 'somebody', now(), now() FROM generate_series(1, 3000) AS n`)
  await pool().query('VACUUM ANALYZE')
  // Which asks for its indexes once.
  await readLooks(admin)
})
afterAll(async () => {
  await pool().end()
  globalThis.rampartPool = undefined
  await database.drop()
})

test.each([null, 'held', 'failed', 'aml', 'failed-kyc', 'failed-account'] as const)(
  'the overview, of %s, reads no large table whole',
  async (kind) => {
    const nodes = await plansOf(() => readLooks(admin, kind), 20_000)
    const used = new Set(nodes.flatMap(({ index }) => index ?? []))
    expect(used).toContain('transaction_branch_last_move_at_idx')
    expect(used).toContain('transaction_step_began_at_idx')
    expect(used).toContain('transaction_conflict_idx')
    expect(used).toContain('event_failed_account_idx')
    expect(used).toContain('event_type_id_idx')
  },
)

test.each([
  ['verifications that failed', failedVerificationsOf],
  ['duplicates', duplicateUsersOf],
  ['checks that went badly', badChecksOf],
  ['accounts that failed', failedAccountsOf],
])('the count of %s goes by the states that people and accounts stand at', async (_, looksOf) => {
  const nodes = await plansOf(() => pool().query(`SELECT count(*) FROM (${looksOf('$1')}) AS look`, [100]))
  const used = nodes.flatMap(({ index }) => (index?.startsWith('standing') ? index : []))
  expect(new Set(used)).toEqual(new Set(['standing_type_state_last_move_at_idx']))
})

test('the count of endpoints that need a look reads no large table whole', async () => {
  const nodes = await plansOf(() => countEndpointLooks(new Date().toISOString()), 20_000)
  expect(nodes.map(({ table }) => table)).toContain('endpoint_state')
})
