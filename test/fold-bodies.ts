import { appendPastDeliveries } from '#lib/deliveries/ingest/insert-deliveries.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { foldWaiting, takeAllShards } from './folding.ts'
import { addReceiver } from './ingest.ts'

/**
 * The function stores bodies as deliveries to a new receiver, some minutes apart, and folds them.
 * @param first when the first arrived, in milliseconds since 1970
 * @param minutesLater the last arrived so many minutes later still
 */
export async function foldBodies(
  bodies: readonly object[],
  first: number,
  minutes = 1,
  minutesLater = 0,
): Promise<void> {
  const { id: receiverId } = await addReceiver(pool())
  await appendPastDeliveries(
    bodies.map((body, n) => ({
      receiverId,
      receivedAt: new Date(first + (n * minutes + (n === bodies.length - 1 ? minutesLater : 0)) * 60_000),
      body: Buffer.from(JSON.stringify(body)),
    })),
  )
  await foldWaiting(await takeAllShards(pool()))
}
