import { startNoticeMailer } from '../../../lib/audit/notices/notice-mailer.ts'
import { listener } from '../../../lib/platform/db/listen.ts'
import { pool } from '../../../lib/platform/db/pool.ts'

// The program is the mailer of server.ts, without pages, so that it starts at once. It checks every second.
process.on('disconnect', () => process.exit())
startNoticeMailer(pool(), listener(), { every: 1_000 })
process.send?.('ready')
