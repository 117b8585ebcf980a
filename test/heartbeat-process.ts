import { startHeartbeat } from '#lib/endpoints/gaps/heartbeat.ts'
import { startIngestServer } from './ingest.ts'

// The process takes deliveries and reports it, so that a test can kill it or stop it in order.
const server = await startIngestServer(process.argv[2] ?? '')
const heartbeat = await startHeartbeat(server.ingest.pool)
process.once('SIGTERM', async () => {
  await heartbeat.stop()
  await server.stop()
  process.exit(0)
})
process.send?.('beating')
