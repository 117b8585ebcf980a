import { startIngestServer } from './ingest.ts'

// A process of its own that takes deliveries, so that a test can kill it: says its port, then serves.
const server = await startIngestServer(process.argv[2] ?? '')
process.send?.(server.port)
