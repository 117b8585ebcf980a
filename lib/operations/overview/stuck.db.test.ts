import { afterAll, beforeAll, expect, it } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import type { TransactionRow } from '#lib/timeline/tables/transaction.ts'
import { movingSteps } from '#lib/transactions/rules/is-stuck.ts'
import { toTransactionViews } from '#lib/transactions/transaction-view.ts'
import { forgetUsualStays } from '#lib/transactions/usual-times.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { listTransactionAttentionItems } from './list-attention.ts'

let database: TestConfiguration
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

// Stays are whole minutes, and no transaction is at a half one. None becomes stuck between the two readings.
it('lists those as stuck that are flagged as stuck, whatever group they are compared with', async () => {
  await pool().query(
    `INSERT INTO usual_stay
     SELECT direction, step, currency, chain, 60000 * (1 + (random() * 120)::int), 100
     FROM unnest(ARRAY['fiatToCrypto', 'cryptoToFiat']) AS direction, unnest($1::text[]) AS step,
       (VALUES ('*', '*'), ('EUR', '*'), ('EUR', 'polygon'), ('GBP', '*'), ('', '')) AS alike (currency, chain)
     WHERE random() < 0.7 OR currency = '*'`,
    [movingSteps],
  )
  await pool().query(
    `INSERT INTO transaction (subject_id, uuid, direction, step, currency_fiat, chain, flags, started_at, last_move_at,
       step_began_at)
     SELECT 'transaction:' || n, n, (ARRAY['fiatToCrypto', 'cryptoToFiat', NULL])[1 + n % 3],
       ($1::text[] || ARRAY['ON_HOLD', NULL])[1 + n / 3 % 6], (ARRAY['EUR', 'GBP', 'USD', NULL, '*'])[1 + n / 18 % 5],
       (ARRAY['polygon', 'base', NULL])[1 + n / 90 % 3], '{}', now() - interval '1 day', now() - interval '1 minute' * ((random() * 180)::int + 0.5),
       CASE WHEN n % 4 = 0 THEN now() - interval '1 minute' * ((random() * 360)::int + 0.5) END
     FROM generate_series(1, 900) AS n`,
    [movingSteps],
  )
  forgetUsualStays()
  const { rows } = await pool().query<TransactionRow>('SELECT * FROM transaction')
  const flagged = (await toTransactionViews('support', rows)).filter(({ stuck }) => stuck)
  const listed = await listTransactionAttentionItems('stuck')
  expect(flagged.length).toBeGreaterThan(100)
  expect(listed.map(({ about }) => about).sort()).toEqual(flagged.map(({ subjectId }) => subjectId).sort())
})
