import { openPool } from '#lib/db/pool.ts'
import { storedChannel } from '#lib/ingest/announce-stored.ts'
import { retrySetAside } from '#lib/projector/retry-set-aside.ts'
import { databaseAddress } from './database-address.ts'

/** Hands what was set aside to the projector once more. */
export async function retryCommand(): Promise<number> {
  const pool = openPool(databaseAddress(), 1)
  try {
    const retried = await retrySetAside(pool)
    await pool.query(`NOTIFY ${storedChannel}`)
    console.log(
      retried === 0
        ? 'Nothing was set aside.'
        : `${retried} handed to the projector; "set-aside" shows what fails again.`,
    )
    return 0
  } finally {
    await pool.end()
  }
}
