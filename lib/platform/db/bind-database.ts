import 'server-only'
import type pg from 'pg'

/**
 * A database belongs to one service: the first start writes down which, a start with another is refused,
 * since users and endpoints of one service mean nothing to another.
 * @param service the service's base URL, or `sandbox`
 */
export async function bindDatabase(pool: pg.Pool, service: string): Promise<void> {
  const { rows } = await pool.query<{ value: string }>(
    `INSERT INTO setting (key, value) VALUES ('service', to_jsonb($1::text))
     ON CONFLICT (key) DO UPDATE SET value = setting.value RETURNING value`,
    [service],
  )
  const bound = rows[0]?.value
  if (bound !== service)
    throw new Error(
      `SERVICE_BASE_URL: this database belongs to ${bound} and cannot be used with ${service}. Give it back, or set another DATABASE_URL or RAMPART_DATA_DIR.`,
    )
}
