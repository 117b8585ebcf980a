import crypto from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type pg from 'pg'
import { openIngest } from '#lib/deliveries/ingest/ingest.ts'
import { handleDelivery } from '#lib/deliveries/ingest/node-http.ts'
import type { PresenceTimes } from '#lib/deliveries/ingest/process-presence.ts'
import type { StoreLimits } from '#lib/deliveries/ingest/store.ts'
import { openListener } from '#lib/platform/db/listen.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import type { Key } from '#lib/platform/env.ts'
import type { KeyAgreement } from '#lib/platform/keys/agree-on-keys.ts'
import type { FindAddress } from '../lib/deliveries/ingest/request-and-answer.ts'
import { secretDigester } from '../lib/platform/keys/digests-and-seals.ts'

/** The key consists of 32 equal bytes. */
export const testKey = (id: string, byte = 7): Key => ({ id, bytes: Buffer.alloc(32, byte) })

/** A real server on loopback takes deliveries into the database at `url`. */
export async function startIngestServer(
  url: string,
  {
    keys = [testKey('k1')] as const,
    limits,
    bodyMs,
    presence,
    findAddress,
    onAgreed,
  }: {
    keys?: readonly [Key, ...Key[]]
    limits?: StoreLimits
    bodyMs?: number
    presence?: PresenceTimes
    findAddress?: FindAddress
    onAgreed?: (agreement: KeyAgreement) => void
  } = {},
) {
  const pool = openPool(url)
  const listener = openListener(url)
  const ingest = openIngest({
    url,
    listener,
    keys,
    ...(findAddress ? { findAddress } : {}),
    ...(limits ? { limits } : {}),
    ...(bodyMs ? { bodyMs } : {}),
    ...(presence ? { presence } : {}),
    ...(onAgreed ? { onAgreed } : {}),
  })
  const server = http.createServer((request, response) => {
    if (!handleDelivery(request, response, () => ingest)) response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    pool,
    listener,
    ingest,
    port,
    url: (receiverId: string) => `http://127.0.0.1:${port}/api/webhooks/${receiverId}`,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await ingest.close()
      await listener.close()
      await pool.end()
    },
  }
}

/** The receiver has a secret, as the endpoints' use cases leave it. */
export async function addReceiver(
  pool: pg.Pool,
  {
    secret = 'whsec-test',
    state = 'active',
    key = testKey('k1'),
  }: {
    secret?: string | null
    state?: 'pending' | 'active' | 'rotating' | 'closed'
    key?: Key
  } = {},
): Promise<{ id: string; authorization: string }> {
  const id = crypto.randomUUID()
  const kept = secret === null ? null : secretDigester([key]).digest(secret)
  await pool.query('INSERT INTO receiver (id, state, secret_digest, secret_key_id) VALUES ($1, $2, $3, $4)', [
    id,
    state,
    kept?.digest ?? null,
    kept?.keyId ?? null,
  ])
  return { id, authorization: `API-Key ${secret}` }
}
