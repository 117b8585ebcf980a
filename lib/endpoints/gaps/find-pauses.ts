import 'server-only'
import type pg from 'pg'
import { firstUuidv7 } from '#lib/platform/db/partitions.ts'
import type { Span } from '#lib/timeline/rules/decide-repeat.ts'

/**
 * The parts of `span` in which nothing was stored for `atLeast` ms or more. Times in ms since 1970; those of
 * deliveries are read from their ids, so that the log is probed and not read.
 */
export async function findPauses(client: pg.PoolClient, span: Span, atLeast: number): Promise<Span[]> {
  const pauses: Span[] = []
  for (let at = span.began; span.ended - at >= atLeast; ) {
    const latest = await probe(client, 'DESC', at + 1, Math.min(at + atLeast, span.ended))
    if (latest === null) {
      const next = (await probe(client, 'ASC', at + atLeast, span.ended)) ?? span.ended
      pauses.push({ began: at, ended: next })
      at = next
    } else at = latest
  }
  return pauses
}

/** When the first or the last delivery of this time was stored; null for none. */
async function probe(client: pg.PoolClient, order: 'ASC' | 'DESC', from: number, until: number) {
  const { rows } = await client.query<{ id: string }>(
    `SELECT id FROM delivery WHERE id >= $1 AND id < $2 ORDER BY id ${order} LIMIT 1`,
    [firstUuidv7(from), firstUuidv7(until)],
  )
  return rows[0] ? Number.parseInt(rows[0].id.replace('-', '').slice(0, 12), 16) : null
}
