import { startNoticeMailer } from '../../../lib/audit/notices/notice-mailer.ts'
import { startAlerts, writeAlertMail } from '../../../lib/operations/alerts/run-alerts.ts'
import { startWatcher } from '../../../lib/operations/watcher/watcher.ts'
import { listener } from '../../../lib/platform/db/listen.ts'
import { pool } from '../../../lib/platform/db/pool.ts'
import { readDatabaseSettings } from '../../../lib/platform/env.ts'
import { serviceClient } from '../../../lib/service/service-client.ts'

// The program is the rounds of work of server.ts, which come every second here, so that a proof need not wait.
process.on('disconnect', () => process.exit())
startWatcher(pool(), 2_000)
startNoticeMailer(pool(), listener(), { every: 1_000, writeAlerts: (mail) => writeAlertMail(pool(), mail) })
const sights = {
  measures: true,
  dataDir: readDatabaseSettings().dataDir,
  liveSilentMs: () => null,
  serviceClockMs: (withinMs: number) => serviceClient().clock.offsetMs(withinMs),
}
startAlerts(pool(), sights, 1_000)
process.send?.('ready')
