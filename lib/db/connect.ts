import 'server-only'
import pg from 'pg'
import { noting } from '#lib/log/noting.ts'
import { logOf } from '#lib/log.ts'

/**
 * One connection past any pool, for DDL, LISTEN and session locks. It is given up when it cannot be made within 5 s, and
 * probed by TCP when nothing was said for 10 s.
 * @param limit milliseconds after which a query without an answer fails; none for what may take an hour.
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
  // Whoever waits for an answer is told; without a listener the loss of an idle connection would end the process.
  client.on('error', noting(logOf('database'))('debug', 'A connection was lost'))
  await client.connect()
  return client
}

/** Ends a connection; one that has gone silent is left to itself after 2 s. */
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
