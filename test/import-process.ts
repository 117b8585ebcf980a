import { runImport } from '#lib/people/import/run-import.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { serviceClient } from '#lib/service/service-client.ts'

// The process runs an import, so that a test can kill it.
await runImport(pool(), serviceClient(), process.argv[2] ?? '', { pace: 0, second: 5 })
await pool().end()
