import pg from 'pg'
import { digestOf } from '../../../test/projections.ts'
import { sleep } from './test-bed.ts'

/** Waits until nothing waits; milliseconds at most. */
export async function waitUntilFolded(url: string, patience = 300_000): Promise<void> {
  const until = Date.now() + patience
  await withClient(url, async (client) => {
    for (;;) {
      const { rows } = await client.query<{ waiting: boolean }>(
        'SELECT EXISTS (SELECT FROM delivery_pending) AS waiting',
      )
      if (!rows[0]?.waiting) return
      if (Date.now() > until) throw new Error('Deliveries are waiting still')
      await sleep(100)
    }
  })
}

/** What the projectors have made of the log, see `digestOf`. Throws when a delivery is missing or stands there twice. */
export function foldedContent(url: string): Promise<string> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ logged: string; folded: string; different: string }>(COUNTS)
    const { logged, folded, different } = rows[0] ?? {}
    if (logged !== folded || folded !== different)
      throw new Error(`${logged} in the log, ${folded} folded, ${different} of them different`)
    return digestOf(client)
  })
}

const COUNTS = `
  SELECT (SELECT count(*) FROM delivery) AS logged, count(*) AS folded, count(DISTINCT delivery_id) AS different
  FROM event_delivery`

export async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
