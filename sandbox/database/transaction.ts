import type { Pool, PoolClient } from 'pg'

/** What can run a statement: the pool, or a client inside a transaction. */
export type QueryClient = Pick<PoolClient, 'query'>

/** What made the transaction fail is thrown; a connection that is gone has rolled back by itself. */
const leaveToCause = () => undefined

export async function transaction<Result>(pool: Pool, work: (database: QueryClient) => Promise<Result>) {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const result = await work(client)
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK').catch(leaveToCause)
    throw error
  } finally {
    client.release()
  }
}
