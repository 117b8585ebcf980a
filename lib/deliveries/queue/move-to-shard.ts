import 'server-only'
import type pg from 'pg'

/** Gives deliveries the shard of their subject, once their bodies were read, so that its projector takes them. */
export async function moveToShard(
  pool: pg.Pool,
  deliveries: readonly { readonly id: string; readonly shard: number }[],
): Promise<void> {
  await pool.query({
    name: 'move-to-shard',
    text: MOVE,
    values: [deliveries.map(({ id }) => id), deliveries.map(({ shard }) => shard)],
  })
}

const MOVE = `
  UPDATE delivery_pending SET shard = moved.shard FROM unnest($1::uuid[], $2::smallint[]) AS moved (id, shard)
  WHERE delivery_id = moved.id`
