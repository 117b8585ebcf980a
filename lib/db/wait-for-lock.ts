import 'server-only'
import type pg from 'pg'

/**
 * Takes an advisory lock of this session, however long another holds it. It asks again and again rather than waiting in
 * the database: a query that waits there holds a snapshot, and an index built concurrently waits for that in turn.
 * @param because what to say when it takes more than 5 s
 */
export async function waitForLock(
  client: pg.Client,
  lock: number,
  because: string,
  say: (line: string) => void,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [
      lock,
    ])
    if (rows[0]?.taken) return
    if (tries % 100 === 20) say(`Waiting: ${because}.`)
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}
