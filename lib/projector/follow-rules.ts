import 'server-only'
import type pg from 'pg'
import { rulesVersion } from '#lib/domain/rules-version.ts'
import type { Lease } from './lease.ts'
import { rebuild } from './rebuild.ts'

/**
 * Has everything made anew when the rows were made by other rules than ours, beside the folding that its caller goes on
 * with under `lease`. Decision 0016.
 * @returns what stops it; whoever holds the lease next goes on.
 */
export function followRules(pool: pg.Pool, lease: Lease, log: (line: string) => void): () => Promise<void> {
  const stop = new AbortController()
  const ended = follow(pool, lease, log, stop.signal).catch((error) => {
    if (!stop.signal.aborted) log(`Not everything could be made anew: ${error}`)
  })
  return async () => {
    stop.abort()
    await ended
  }
}

async function follow(pool: pg.Pool, lease: Lease, log: (line: string) => void, signal: AbortSignal) {
  const { rows } = await pool.query<{ made: number }>(MADE_BY, [rulesVersion])
  if (rows[0]?.made === rulesVersion) return
  log('The rows were made by other rules: everything is folded anew, while all goes on.')
  const end = await rebuild(pool, { signal, onProgress: () => undefined })
  if (end.kind === 'interrupted') return
  await pool.query(REMEMBER, [rulesVersion, lease.holder, lease.epoch])
  log(`${end.done} deliveries were folded anew.`)
}

/** Where nothing was ever folded, the first rows will be ours. */
const MADE_BY = `
  WITH first AS (
    INSERT INTO setting (key, value) SELECT 'rules', to_jsonb($1::int)
    WHERE NOT EXISTS (SELECT FROM event_delivery) ON CONFLICT DO NOTHING
    RETURNING value
  )
  SELECT value::int AS made FROM first UNION ALL SELECT value::int FROM setting WHERE key = 'rules'`

/** Only if nobody else folded meanwhile, whose rules may be others. */
const REMEMBER = `
  INSERT INTO setting (key, value)
  SELECT 'rules', to_jsonb($1::int) FROM lease WHERE name = 'projector' AND holder = $2 AND epoch = $3
  ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value, updated_at = now()`
