import type pg from 'pg'
import { z } from 'zod'
import { percentile } from './percentile.ts'

/** People type these values of a transaction and of its customer. */
const kinds = {
  id: ({ uuid }) => uuid,
  hash: ({ hash }) => hash,
  wallet: ({ wallet }) => wallet,
  email: ({ email }) => email,
} satisfies Record<string, (sample: Sample) => string>

const SampleSchema = z.object({ uuid: z.string(), hash: z.string(), wallet: z.string(), email: z.string() })
type Sample = z.infer<typeof SampleSchema>

const samples = 20
const mostCharacters = 16

/**
 * The function measures the milliseconds until each letter's search is answered, as the palette asks, one at a time. Fewer
 * than four letters search nothing, so their time is the request alone. It prints each kind, and answers the 95th percentile
 * of its slowest number of letters.
 */
export async function timeTyping(url: string, cookie: string, database: pg.Client): Promise<number> {
  const { rows } = await database.query(SAMPLE, [samples])
  const all = z.array(SampleSchema).parse(rows)
  const worst: number[] = []
  for (const [kind, textOf] of Object.entries(kinds)) {
    const byLength: number[][] = []
    for (const [turn, sample] of all.entries()) {
      // The limit is reset, because nobody types so many searches in so short a time.
      await database.query('DELETE FROM rate_limit')
      for (let length = 1; length <= mostCharacters; length++) {
        const took = await ask(url, cookie, textOf(sample).slice(0, length))
        // The first two turns warm up.
        if (turn >= 2) byLength[length] = [...(byLength[length] ?? []), took]
      }
    }
    const p95 = byLength.map((times) => percentile(times, 0.95))
    const figures = byLength
      .map(
        (times, length) =>
          `${length}: ${percentile(times, 0.5).toFixed(0)}, ${percentile(times, 0.95).toFixed(0)}`,
      )
      .filter(Boolean)
    console.log(`typing ${kind.padEnd(7)} p50 and p95 in ms by characters  ${figures.join('; ')}`)
    worst.push(Math.max(...p95.filter(Number.isFinite)))
  }
  return Math.max(...worst)
}

const SAMPLE = `
  SELECT uuid, transaction_hash AS hash, COALESCE(details ->> 'walletAddress', details ->> 'sendingAddress') AS wallet, email
  FROM generate_series(1, $1) AS n, LATERAL (
    SELECT * FROM transaction
    WHERE subject_id > 'transaction:' || left(md5('sample ' || n), 8) AND transaction_hash IS NOT NULL AND user_uuid IS NOT NULL
    ORDER BY subject_id LIMIT 1) AS t
  JOIN person ON person.user_uuid::text = t.user_uuid::text WHERE email IS NOT NULL`

async function ask(url: string, cookie: string, text: string): Promise<number> {
  const from = performance.now()
  const answer = await fetch(`${url}/api/search`, {
    method: 'POST',
    headers: { cookie, origin: url, 'content-type': 'application/json' },
    body: JSON.stringify({ text, limit: 6 }),
  })
  await answer.arrayBuffer()
  if (!answer.ok) throw new Error(`A search was answered ${answer.status}`)
  return performance.now() - from
}
