import 'server-only'
import type pg from 'pg'

/**
 * Takes a session-level advisory lock, however long another process holds it. It polls instead of waiting in
 * the database: a waiting query holds a snapshot, and a concurrent index build would wait for that snapshot.
 * @param because what to log when it takes more than 5 s
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
