import { readdir, readFile } from 'node:fs/promises'
import type { Pool } from 'pg'

const folder = new URL('../migrations/', import.meta.url)

/** Applies the numbered files that this database has not seen yet, in order, each in a transaction of its own. */
export async function migrate(pool: Pool): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    await client.query(
      'create table if not exists migration (name text primary key, applied_at timestamptz not null)',
    )
    const { rows } = await client.query<{ name: string }>('select name from migration')
    const applied = new Set(rows.map((row) => row.name))
    const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
    for (const name of files.filter((file) => !applied.has(file))) {
      const sql = await readFile(new URL(name, folder), 'utf8')
      await client.query(`begin; ${sql}; insert into migration values ('${name}', now()); commit`)
    }
    await client.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK])
  } finally {
    client.release(true)
  }
}

const MIGRATION_LOCK = 4_010_001
