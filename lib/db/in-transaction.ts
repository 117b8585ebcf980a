import 'server-only'
import type pg from 'pg'

/** A server that hears nothing more from us lets go of what the transaction has locked, through a pooler too. */
const BEGIN = `BEGIN; SET LOCAL idle_in_transaction_session_timeout = '60s'`

/** Everything that `work` writes, or nothing. */
export async function inTransaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query(BEGIN)
    const done = await work(client)
    await client.query('COMMIT')
    return done
  } catch (error) {
    await client.query('ROLLBACK').catch((failed: Error) => {
      broken = failed
    })
    throw error
  } finally {
    client.release(broken)
  }
}
