import { readdir, readFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { Client, type Pool } from 'pg'

const folder = new URL('../migrations/', import.meta.url)

/** The function applies the numbered files that this database has not seen, in order, each in its own transaction. */
export async function migrate(pool: Pool): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('SELECT pg_advisory_lock($1)', [migrationLock])
    await client.query(
      'CREATE TABLE IF NOT EXISTS migration (name text PRIMARY KEY, applied_at timestamptz NOT NULL)',
    )
    const { rows } = await client.query<{ name: string }>('SELECT name FROM migration')
    const applied = new Set(rows.map((row) => row.name))
    const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
    for (const name of files.filter((file) => !applied.has(file))) {
      const sql = await readFile(new URL(name, folder), 'utf8')
      await client.query(`BEGIN; ${sql}; INSERT INTO migration VALUES ('${name}', now()); COMMIT`)
    }
    await client.query('SELECT pg_advisory_unlock($1)', [migrationLock])
  } finally {
    client.release(true)
  }
}

const migrationLock = 4_010_001

/**
 * The claim makes this process the only sandbox on its database until `release`. It waits for a predecessor that was just
 * killed, and answers undefined when another sandbox keeps running.
 */
export async function claimDatabase(url: string): Promise<{ release(): Promise<void> } | undefined> {
  const client = new Client({ connectionString: url, application_name: 'sandbox', keepAlive: true })
  client.on('error', () => {})
  await client.connect()
  for (let tries = 0; tries < 25; tries++) {
    const { rows } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_lock($1) AS mine', [
      claimLock,
    ])
    if (rows[0]?.mine) return { release: () => client.end() }
    await setTimeout(200)
  }
  await client.end()
  return undefined
}

const claimLock = 4_010_002
