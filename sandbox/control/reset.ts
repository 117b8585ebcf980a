import { transaction } from '../database/transaction.ts'
import type { Sandbox } from '../sandbox.ts'

/** Empties everything but the schema, and sets the clock to real time. Jobs under way find nothing left to do. */
export async function reset(sandbox: Sandbox): Promise<void> {
  await sandbox.load.clear()
  await transaction(sandbox.pool, async (database) => {
    await database.query(
      `truncate account, session, one_time_password, used_nonce, mail, webhook_endpoint, play, event, delivery, attempt`,
    )
    await database.query(
      `select graphile_worker.complete_jobs(array_agg(id)) from graphile_worker.jobs having count(*) > 0`,
    )
  })
  sandbox.faults.clear()
  await sandbox.time.showRealTime(sandbox)
}
