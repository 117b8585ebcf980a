import crypto from 'node:crypto'
import pg from 'pg'
import type { TemporaryPostgres } from '../../../bin/temporary-postgres.ts'
import { applyMigrations } from '../../../lib/platform/db/migrate.ts'
import { ensureDeliveryPartitions } from '../../../lib/platform/db/partitions.ts'
import { toKeys } from '../../../lib/platform/env.ts'
import { secretDigester } from '../../../lib/platform/keys/secret-digest.ts'

/** What a receiver's deliveries authenticate with. */
export const secret = 'whsec-bench'

/** A database with one receiver, and the keys of the servers that take its deliveries. */
export interface BenchDatabase {
  readonly url: string
  readonly keys: string
  readonly receiverId: string
}

export async function createDatabase(postgres: TemporaryPostgres, name: string): Promise<BenchDatabase> {
  const url = await postgres.create(name)
  await applyMigrations(url)
  await ensureDeliveryPartitions(url)
  const keys = `bench:${crypto.randomBytes(32).toString('base64')}`
  const receiverId = crypto.randomUUID()
  const { digest, keyId } = secretDigester(toKeys(keys)).digest(secret)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    `INSERT INTO receiver (id, state, secret_digest, secret_key_id) VALUES ($1, 'active', $2, $3)`,
    [receiverId, digest, keyId],
  )
  await client.end()
  return { url, keys, receiverId }
}

/** How many deliveries wait to be folded. */
export async function countWaiting(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ n: number }>('SELECT count(*)::int AS n FROM delivery_pending')
  return rows[0]?.n ?? 0
}

export async function untilFolded(client: pg.Client): Promise<void> {
  while ((await countWaiting(client)) > 0) await new Promise((resolve) => setTimeout(resolve, 100))
}
