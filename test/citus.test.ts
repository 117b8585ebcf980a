import fs from 'node:fs'
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
  ['SELECT (SELECT name FROM member WHERE member.id::text = author) FROM transaction_note', 'on one server'],
  ['UPDATE event SET subject_id = $1 WHERE id = $2', 'another subject'],
  ['UPDATE event SET body_left_at = clock_timestamp()', 'clock_timestamp'],
  ['SELECT event_body(id, envelope) FROM event', 'event_body'],
  [
    'INSERT INTO overview_mute (about) VALUES ($1) ON CONFLICT (about) DO UPDATE SET muted_at = now()',
    'calls a function',
  ],
  ["SELECT EXISTS (SELECT FROM pg_inherits WHERE inhparent = 'delivery'::regclass) FROM event", 'no column'],
  [
    'SELECT EXISTS (SELECT FROM person WHERE x = $1) OR EXISTS (SELECT FROM standing WHERE y = $1)',
    'no column',
  ],
  ['SELECT (SELECT type FROM event WHERE event.id = about LIMIT 1) FROM overview_mute', 'for each row'],
  [
    'SELECT id FROM unnest($1) AS id WHERE EXISTS (SELECT FROM standing WHERE subject_id = id)',
    'for each row',
  ],
  [
    'SELECT * FROM (SELECT * FROM event LIMIT 9) AS top WHERE (SELECT answer FROM event_delivery d WHERE d.event_id = top.id) = $1',
    'for each row',
  ],
])('%s breaks a rule', (sql, words) => {
  expect(citusFaults(sql).join()).toContain(words)
})

it.each([
  'WITH RECURSIVE found AS (SELECT name FROM setting) SELECT * FROM found',
  'SELECT * FROM event WHERE EXISTS (SELECT FROM transaction WHERE transaction.subject_id = event.subject_id)',
  'WITH kept AS MATERIALIZED (SELECT id FROM event) SELECT * FROM kept LEFT JOIN delivery USING (id)',
  'SELECT id FROM event UNION ALL SELECT id FROM delivery',
  "SELECT 'WITH RECURSIVE' FROM event",
  'SELECT * FROM transaction WHERE NOT EXISTS (SELECT FROM overview_mute WHERE about = transaction.subject_id)',
  'SELECT EXISTS (SELECT 1 FROM standing WHERE subject_id = $1)',
  'SELECT * FROM kept WHERE id = ANY(ARRAY(SELECT id FROM event WHERE subject_id = $1))',
])('%s breaks none', (sql) => {
  expect(citusFaults(sql)).toEqual([])
})

it('what functions of the database do breaks none', () => {
  const files = fs
    .globSync('prisma/migrations/*/migration.sql')
    .toSorted()
    .map((file) => fs.readFileSync(file, 'utf8'))
  // A later migration replaces a function.
  const bodies = new Map(
    files.flatMap((sql) =>
      [...sql.matchAll(/\bCREATE (?:OR REPLACE )?FUNCTION (\w+)\(.*?\$(_?)\$(.*?)\$\2\$/gs)].map(
        ([, name, , body = '']) => [name, body],
      ),
    ),
  )
  expect(bodies.size).toBeGreaterThan(5)
  const faults = [...bodies.values()]
    .flatMap((body) => body.split(/;|\bBEGIN\b|\bTHEN\b/))
    .flatMap((sql) => citusFaults(sql).map((fault) => `${fault}: ${sql}`))
  expect(faults).toEqual([])
})
