import 'server-only'
import pg from 'pg'
import { advisoryLocks } from './advisory-locks.ts'

/**
 * Gives the delivery log its months from the last one to the next two, as seen at `now`. Harmless when run again or
 * by several processes. A month whose deliveries already lie in the default partition is left there.
 * @returns the names of the partitions made.
 */
export async function ensureDeliveryPartitions(
  connectionString: string,
  now = new Date(),
): Promise<string[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query('SELECT pg_advisory_lock($1)', [advisoryLocks.partitions])
    const made: string[] = []
    for (const month of [-1, 0, 1, 2]) {
      const from = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + month)
      const to = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + month + 1)
      const name = `delivery_${new Date(from).toISOString().slice(0, 7).replace('-', '_')}`
      if (await make(client, name, firstUuidv7(from), firstUuidv7(to))) made.push(name)
    }
    return made
  } finally {
    await client.end()
  }
}

/** The smallest uuidv7 of a moment, in ms since 1970. */
export function firstUuidv7(at: number): string {
  const hex = Math.max(0, Math.floor(at)).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

async function make(client: pg.Client, name: string, from: string, to: string): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean; held: boolean }>(
    `SELECT to_regclass($1) IS NOT NULL AS there,
            EXISTS (SELECT FROM delivery_default WHERE id >= $2::uuid AND id < $3::uuid) AS held`,
    [name, from, to],
  )
  if (rows[0]?.there || rows[0]?.held) return false
  await client.query(`CREATE TABLE ${name} PARTITION OF delivery FOR VALUES FROM ('${from}') TO ('${to}')`)
  return true
}
