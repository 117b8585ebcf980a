import { expect, it } from 'vitest'
import { citusFaults } from './citus.ts'

it.each([
  ['WITH RECURSIVE found AS (SELECT type FROM event) SELECT * FROM found', 'recursive CTE'],
  ['SELECT * FROM unnest($1) AS id, LATERAL (SELECT * FROM event WHERE x = id LIMIT 1) AS one', 'LATERAL'],
  ['SELECT count(*) FROM (SELECT FROM transaction LIMIT 10) AS counted', 'no column'],
  ['SELECT EXISTS (SELECT FROM setting) FROM event', 'no column'],
  ['SELECT a FROM event GROUP BY GROUPING SETS ((a), (b))', 'GROUPING SETS'],
  ['SELECT * FROM event JOIN receiver ON true', 'on one server'],
  ['SELECT * FROM event WHERE EXISTS (SELECT FROM delivery WHERE delivery.id = event.id)', 'on one server'],
  ['UPDATE event SET subject_id = $1 WHERE id = $2', 'another subject'],
  ['UPDATE event SET body_left_at = clock_timestamp()', 'clock_timestamp'],
  ['SELECT event_body(id, envelope) FROM event', 'event_body'],
])('%s breaks a rule', (sql, words) => {
  expect(citusFaults(sql).join()).toContain(words)
})

it.each([
  'WITH RECURSIVE found AS (SELECT name FROM setting) SELECT * FROM found',
  'SELECT * FROM event WHERE EXISTS (SELECT FROM transaction WHERE transaction.subject_id = event.subject_id)',
  'WITH kept AS MATERIALIZED (SELECT id FROM event) SELECT * FROM kept LEFT JOIN delivery USING (id)',
  'SELECT id FROM event UNION ALL SELECT id FROM delivery',
  "SELECT 'WITH RECURSIVE' FROM event",
  'SELECT * FROM transaction WHERE NOT EXISTS (SELECT FROM overview_mute WHERE about = subject_id)',
])('%s breaks none', (sql) => {
  expect(citusFaults(sql)).toEqual([])
})
