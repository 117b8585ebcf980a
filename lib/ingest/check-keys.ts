import 'server-only'
import type pg from 'pg'
import type { SecretDigester } from './secret-digest.ts'

/**
 * The ids of the keys that are the same as when they were first used with this database: under a wrong key every
 * secret would look wrong, and good deliveries would be refused for ever. Remembers a key seen for the first time.
 */
export async function checkKeys(pool: pg.Pool, digester: SecretDigester): Promise<ReadonlySet<string>> {
  const marks = digester.keyIds.map((id) => ({ name: `digest-key:${id}`, mark: hexOf(digester.mark(id)) }))
  await pool.query(
    `INSERT INTO setting (key, value)
     SELECT name, to_jsonb(mark) FROM unnest($1::text[], $2::text[]) AS given (name, mark)
     ON CONFLICT (key) DO NOTHING`,
    [marks.map(({ name }) => name), marks.map(({ mark }) => mark)],
  )
  const { rows } = await pool.query<{ key: string; value: unknown }>(
    'SELECT key, value FROM setting WHERE key = ANY($1)',
    [marks.map(({ name }) => name)],
  )
  const kept = new Map(rows.map(({ key, value }) => [key, value]))
  return new Set(digester.keyIds.filter((_, i) => kept.get(marks[i]?.name ?? '') === marks[i]?.mark))
}

const hexOf = (bytes: Buffer | null) => bytes?.toString('hex') ?? ''
