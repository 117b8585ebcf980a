import { vi } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'

/**
 * The function vacuums a table until all its pages are known to be visible to everybody. While another transaction reads the
 * database, even an autovacuum, new rows are not, and the planner overestimates the cost of an index.
 */
export async function vacuumWhole(table: string): Promise<void> {
  const becomeVisible = async () => {
    await pool().query(`VACUUM ANALYZE ${table}`)
    const { rows } = await pool().query<{ hidden: number }>(
      'SELECT relpages - relallvisible AS hidden FROM pg_class WHERE oid = $1::regclass',
      [table],
    )
    if (rows[0]?.hidden !== 0) throw new Error(`Somebody else looks at ${table}`)
  }
  await vi.waitFor(becomeVisible, { timeout: 50_000, interval: 200 })
}
