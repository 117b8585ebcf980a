import { listener } from '../../../lib/db/listen.ts'
import { pool } from '../../../lib/db/pool.ts'
import { startNoticeMailer } from '../../../lib/notices/notice-mailer.ts'

// The mailer of one server, as server.ts runs it, without pages, so that it starts at once. It looks every second.
process.on('disconnect', () => process.exit())
startNoticeMailer(pool(), listener(), 1_000)
process.send?.('ready')
