import { listDeadLetters } from '#lib/deliveries/queue/list-dead-letters.ts'
import { openPool } from '#lib/platform/db/pool.ts'
import { databaseAddress } from './database-address.ts'

const most = 100

/** Prints which deliveries could not be folded and why; never what they say, which may be personal. */
export async function deadLettersCommand(): Promise<number> {
  const pool = openPool(databaseAddress(), 1)
  try {
    const found = await listDeadLetters(pool, most + 1)
    for (const { deliveryId, receivedAt, since, error, bytes } of found.slice(0, most)) {
      console.log(
        `${deliveryId}  ${bytes} bytes, received ${time(receivedAt)}, dead letter since ${time(since)}`,
      )
      console.log(`  ${error}`)
    }
    if (found.length === 0) console.log('There are no dead letters.')
    else if (found.length > most) console.log(`Only the first ${most} are shown.`)
    return found.length === 0 ? 0 : 1
  } finally {
    await pool.end()
  }
}

const time = (at: Date | null) => at?.toISOString() ?? 'at a time no longer known'
