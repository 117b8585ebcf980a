import { vi } from 'vitest'
import { z } from 'zod'
import { startIngestServer, testKey } from './ingest.ts'
import { startService } from './service.ts'

/** The real service delivers to a server of ours at the configured address and key. */
export async function startServiceAndIngest() {
  const service = await startService()
  const key = testKey('k1')
  const ingest = await startIngestServer(z.string().parse(process.env.DATABASE_URL), { keys: [key] })
  vi.stubEnv('RAMPART_KEYS', `k1:${key.bytes.toString('base64')}`)
  vi.stubEnv('PUBLIC_URL', `http://localhost:${ingest.port}`)
  return { service, ingest }
}
