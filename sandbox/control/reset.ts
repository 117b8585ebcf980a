import type { Pool } from 'pg'
import { transaction } from '../database/transaction.ts'

/** Empties everything but the schema. Jobs that are under way find nothing left to do. */
export async function reset(pool: Pool): Promise<void> {
  await transaction(pool, async (database) => {
    await database.query(
      `truncate account, session, one_time_password, used_nonce, mail, webhook_endpoint, play, event, delivery, attempt`,
    )
    await database.query(
      `select graphile_worker.complete_jobs(array_agg(id)) from graphile_worker.jobs having count(*) > 0`,
    )
  })
}
