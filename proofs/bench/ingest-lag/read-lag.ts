import type pg from 'pg'

/** The lag is the milliseconds from a delivery's arrival to the commit of its event, both by the database's clock. */
interface Lag {
  readonly events: number
  readonly p50: number
  readonly p99: number
  readonly most: number
}

/** The lag covers the deliveries that arrived between two times. The database must run with `track_commit_timestamp`. */
export async function readLag(client: pg.ClientBase, from: Date, until: Date): Promise<Lag> {
  const { rows } = await client.query<Lag>(LAG, [from, until])
  if (!rows[0]) throw new Error('The lag could not be read')
  return rows[0]
}

export async function readDatabaseClock(client: pg.ClientBase): Promise<Date> {
  const { rows } = await client.query<{ now: Date }>('SELECT clock_timestamp() AS now')
  if (!rows[0]) throw new Error('The clock could not be read')
  return rows[0].now
}

/** No delivery is repeated, so the commit that wrote an event last is the one that made it, or a later one. */
const LAG = `
  WITH lag AS (
    SELECT round(extract(epoch FROM pg_xact_commit_timestamp(xmin) - first_received_at) * 1000)::int AS ms
    FROM event WHERE first_received_at >= $1 AND first_received_at < $2
  )
  SELECT count(*)::int AS events, percentile_disc(0.5) WITHIN GROUP (ORDER BY ms) AS p50,
         percentile_disc(0.99) WITHIN GROUP (ORDER BY ms) AS p99, max(ms) AS most
  FROM lag`
