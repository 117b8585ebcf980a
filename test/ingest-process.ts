import { toKeys } from '#lib/platform/env.ts'
import { startIngestServer } from './ingest.ts'

// The process takes deliveries, so that a test can kill it. It prints its port and then serves. Keys may be given as in
// RAMPART_KEYS.
const [, , url = '', keys] = process.argv
const server = await startIngestServer(url, keys === undefined ? {} : { keys: toKeys(keys) })
await server.ingest.begin()
process.on('SIGTERM', () => void server.stop().then(() => process.exit(0)))
process.send?.(server.port)
