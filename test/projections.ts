import type pg from 'pg'

/** A projector writes these tables, and everything in them follows from the log. */
export const projections = ['event', 'event_delivery', 'transaction', 'standing', 'identifier'] as const

/**
 * The digest covers every row of these tables in any order, for all subjects or the given ones. Two databases with the same
 * deliveries and times have the same digest when they hold the same rows.
 */
export async function digestOf(
  client: pg.ClientBase | pg.Pool,
  subjects?: readonly string[],
): Promise<string> {
  const digests: string[] = []
  for (const table of projections) {
    const { rows } = await client.query<{ digest: string }>(
      `SELECT count(*) || ' ' || COALESCE(sum(hashtextextended(row::text, 0)::numeric), 0) AS digest
       FROM ${table} AS row WHERE $1::text[] IS NULL OR subject_id = ANY($1)`,
      [subjects ?? null],
    )
    digests.push(`${table} ${rows[0]?.digest}`)
  }
  return digests.join('\n')
}
