import { afterAll, beforeAll, expect, test } from 'vitest'
import { listPeopleNeedingAttention } from '#lib/people/list-people-needing-attention.ts'
import { listAccounts } from '#lib/people/standings/list-accounts.ts'
import { listCompanies } from '#lib/people/standings/list-companies.ts'
import {
  failedAccountsOf,
  failedCompaniesOf,
  peopleNeedingAttention,
  personAttentionKinds,
} from '#lib/people/standings/standing-attention.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { callerWith } from '../../../test/callers.ts'
import { countStandings } from '../../../test/count-standings.ts'
import { makeLists } from '../../../test/lists/make-lists.ts'
import { plansOf, rowsReadBy } from '../../../test/plans.ts'
import { createEmptyDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { configure } from '../../../test/service.ts'
import { vacuumWhole } from '../../../test/vacuum.ts'
import { countEndpointAttentionItems } from './list-endpoint-attention.ts'
import { readAttentionItems } from './read-attention.ts'

// Every statement is explained on tables large enough for the planner to prefer an index.
const admin = callerWith('admin')
let database: TestDatabase

/** A statement may read all snoozes, which people make by hand, but few of the 100,000 standings. */
const snoozes = 3_000

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
    SELECT subject || n, type, CASE WHEN n % 500 = 0 THEN bad ELSE good END, gen_random_uuid(), now(), now()
    FROM generate_series(1, 20000) AS n, (VALUES
      ('entity:', 'KYC', 'FULL_USER', 'FAILED'), ('entity:', 'AML', 'PASSED', 'FAILED'), ('entity:', 'linkBankAccount', 'ACTIVE', 'FAILED'),
      ('entity:company', 'KYB', 'KYB_PASSED', 'KYB_FAILED'), ('entity:company', 'entityStatusUpdate', 'ACTIVE', 'SUSPENDED')
    ) AS one (subject, type, good, bad);
    INSERT INTO session (id, token_digest, user_uuid, method, role, idle_expires_at, expires_at)
    SELECT gen_random_uuid(), n::text::bytea, md5(n::text)::uuid, 'code', 'end-user', now(), now() FROM generate_series(1, 20000) AS n;
    INSERT INTO standing (subject_id, type, state, event_id, started_at, last_move_at)
    SELECT 'entity:' || CASE WHEN n % 2 = 0 THEN md5(n::text)::uuid::text ELSE (n * 500)::text END,
      'otpNotification', 'EMAIL_DELIVERY_FAILED', gen_random_uuid(), now(), now() - interval '1 hour'
    FROM generate_series(1, 80) AS n WHERE n % 2 = 0 OR n <= 40;
    INSERT INTO overview_mute SELECT 'held', 'transaction:' || n, 'a note', 'somebody', now(), now() FROM generate_series(1, ${snoozes}) AS n`)
  await countStandings(pool())
  await pool().query('VACUUM ANALYZE')
  await vacuumWhole('standing')
  // The first read asks once which indexes exist.
  await readAttentionItems(admin)
})
afterAll(async () => {
  await pool().end()
  globalThis.rampartPool = undefined
  await database.drop()
})

test.each([
  null,
  'held',
  'failed',
  'aml',
  'failed-kyc',
  'failed-account',
  'failed-company',
  'bounced-code',
] as const)('the overview, of %s, reads no large table whole', async (kind) => {
  const nodes = await plansOf(() => readAttentionItems(admin, kind), 20_000)
  const used = new Set(nodes.flatMap(({ index }) => index ?? []))
  expect(used).toContain('transaction_direction_step_last_move_at_idx')
  expect(used).toContain('transaction_direction_step_began_at_idx')
  expect(used).toContain('transaction_conflict_idx')
  expect(used).toContain('standing_type_state_last_move_at_idx')
  expect(used).toContain('event_type_id_idx')
})

/** Each holds the states that need attention; a type with one state needs no index with the state. */
const indexesOfStates: ReadonlySet<string> = new Set([
  'standing_type_state_last_move_at_idx',
  'standing_type_last_move_at_idx',
  'standing_unclear_check_idx',
])

test.each([
  ['verifications that failed', (most: string) => peopleNeedingAttention(['failed-kyc'], most)],
  ['duplicates', (most: string) => peopleNeedingAttention(['duplicate-user'], most)],
  ['checks that went badly', (most: string) => peopleNeedingAttention(['aml'], most)],
  ['bounced codes', (most: string) => peopleNeedingAttention(['bounced-code'], most)],
  ['people', (most: string) => peopleNeedingAttention(personAttentionKinds, most)],
  ['accounts that failed', failedAccountsOf],
  ['companies that failed', failedCompaniesOf],
])(
  'the count of %s goes by the states that people, accounts and companies stand at',
  async (_, attentionItemsOf) => {
    const count = () => pool().query(`SELECT count(*) FROM (${attentionItemsOf('$1')}) AS items`, [100])
    const used = (await plansOf(count)).map(({ index }) => index)
    expect(used.filter((index) => index !== undefined && indexesOfStates.has(index))).not.toEqual([])
    expect(await rowsReadBy(count)).toBeLessThan(snoozes + 1_000)
  },
)

test('the lists that the counts lead to go by the same states', async () => {
  const lists = [
    (cursor?: string) => listPeopleNeedingAttention(admin, { limit: 5, cursor }),
    (cursor?: string) => listAccounts(admin, { needsAttention: true, limit: 5, cursor }),
    (cursor?: string) => listCompanies(admin, { needsAttention: true, limit: 5, cursor }),
  ]
  for (const list of lists) {
    const { next, total } = await list()
    expect(total.count).toBe(40)
    for (const cursor of [undefined, next ?? '']) {
      const used = (await plansOf(() => list(cursor))).map(({ index }) => index)
      expect(used.filter((index) => index !== undefined && indexesOfStates.has(index))).not.toEqual([])
    }
    expect(await rowsReadBy(() => list())).toBeLessThan(snoozes + 1_000)
  }
})

test('the count of endpoints that need attention reads no large table whole', async () => {
  const nodes = await plansOf(() => countEndpointAttentionItems(new Date().toISOString()), 20_000)
  expect(nodes.map(({ table }) => table)).toContain('endpoint_state')
})
