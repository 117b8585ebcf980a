import { startHeartbeat } from '#lib/endpoints/gaps/heartbeat.ts'
import { startIngestServer } from './ingest.ts'

// The process takes deliveries and reports it, so that a test can kill it.
const server = await startIngestServer(process.argv[2] ?? '')
await startHeartbeat(server.ingest.pool)
process.send?.('beating')
