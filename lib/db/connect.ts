import 'server-only'
import pg from 'pg'
import { noting } from '#lib/log/noting.ts'
import { logOf } from '#lib/log.ts'

/**
 * One connection outside any pool, for DDL, LISTEN and session locks. Connecting fails after 5 s; TCP
 * keep-alive starts after 10 s of silence.
 * @param limit query timeout in milliseconds; none for statements that may take an hour.
 */
export async function connect(
  connectionString: string,
  applicationName: string,
  limit?: number,
): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString,
    application_name: applicationName,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    ...(limit === undefined ? {} : { query_timeout: limit }),
  })
  // Pending queries receive the error. Without a listener, losing an idle connection would end the process.
  client.on('error', noting(logOf('database'))('debug', 'A connection was lost'))
  await client.connect()
  return client
}

/** Closes a connection; a connection that does not answer is abandoned after 2 s. */
export async function closeConnection(client: pg.Client): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeoutMs = new Promise((resolve) => {
    timer = setTimeout(resolve, 2_000)
  })
  await Promise.race([client.end(), timeoutMs]).catch(
    noting(logOf('database'))('debug', 'A connection had no end'),
  )
  clearTimeout(timer)
}
