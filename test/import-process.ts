import { pool } from '#lib/db/pool.ts'
import { serviceClient } from '#lib/service-client.ts'
import { runImport } from '#lib/user-import/run-import.ts'

// A process of its own that runs an import, so that a test can kill it.
await runImport(pool(), serviceClient(), process.argv[2] ?? '', { pace: 0, second: 5 })
await pool().end()
