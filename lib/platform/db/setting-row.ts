import 'server-only'
import type pg from 'pg'

/** What the table `setting` holds under a key; undefined where there is no row. */
export async function readSettingRow(database: Pick<pg.Pool, 'query'>, key: string): Promise<unknown> {
  const { rows } = await database.query<{ value: unknown }>('SELECT value FROM setting WHERE key = $1', [key])
  return rows[0]?.value
}

/** Writes over what is held under a key, as JSON. */
export async function keepSettingRow(
  database: Pick<pg.Pool, 'query'>,
  key: string,
  value: unknown,
): Promise<void> {
  await database.query(KEEP, [key, JSON.stringify(value)])
}

const KEEP = `
  INSERT INTO setting (key, value) VALUES ($1, $2)
  ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value, updated_at = now()`
