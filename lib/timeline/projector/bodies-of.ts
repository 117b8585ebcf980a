import 'server-only'
import type pg from 'pg'

interface Keyed {
  readonly subject_id: string
  readonly id: string
}

/** The bodies of events, one after the other, however large they are together. */
export async function* bodiesOf<Row extends Keyed>(
  database: pg.Pool | pg.ClientBase,
  events: readonly Row[],
): AsyncGenerator<{ readonly row: Row; readonly body: Buffer }> {
  for (let from = 0; from < events.length; ) {
    const page = events.slice(from, from + most)
    const { rows } = await database.query<{ n: number; body: Buffer }>(BODIES, [
      page.map(({ subject_id }) => subject_id),
      page.map(({ id }) => id),
    ])
    for (const { n, body } of rows) {
      const row = page[n - 1]
      if (row) yield { row, body }
    }
    from += rows.at(-1)?.n ?? page.length
  }
}

/** Bodies of one statement, and their bytes; one body alone may have more. */
const most = 200
const mostBytes = 8 * 1024 * 1024

const BODIES = `
  SELECT n::int, body FROM (
    SELECT n, body, sum(octet_length(body)) OVER (ORDER BY n) AS bytes
    FROM unnest($1::text[], $2::uuid[]) WITH ORDINALITY AS wanted (subject_id, id, n)
    JOIN event USING (subject_id, id), LATERAL event_body(id, envelope) AS body
    WHERE body IS NOT NULL
  ) AS found
  WHERE bytes = octet_length(body) OR bytes <= ${mostBytes} ORDER BY n`
