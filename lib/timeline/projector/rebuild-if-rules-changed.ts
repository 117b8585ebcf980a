import 'server-only'
import type pg from 'pg'
import { logOf } from '#lib/platform/log.ts'
import { rulesVersion } from '../rules/rules-version.ts'
import { MonthsLost } from './lost-months.ts'
import { beginRebuild } from './rebuild.ts'

const log = logOf('projector')

/**
 * Starts a rebuild when the stored rows were made by other rules, or a rebuild by other rules is running.
 * Called by the process that has taken over a shard. Decision 0016. While the log lacks months, rows stay as they are.
 */
export async function rebuildIfRulesChanged(pool: pg.Pool, shards?: number): Promise<void> {
  const { rows } = await pool.query<{ made: number; others: boolean }>(RULES_OF_ROWS, [rulesVersion])
  const [row] = rows
  if (row && row.made === rulesVersion && !row.others) return
  try {
    const { resumed } = await beginRebuild(pool, shards)
    if (!resumed) log.info('The rows were made by other rules: everything is rebuilt, while all goes on.')
  } catch (error) {
    if (!(error instanceof MonthsLost)) throw error
    log.error(`The rows were made by other rules and stay so for now. ${error.message}`)
  }
}

/** In an empty database the first rows are made by our rules. */
const RULES_OF_ROWS = `
  WITH first AS (
    INSERT INTO setting (key, value) SELECT 'rules-version', to_jsonb($1::int)
    WHERE NOT EXISTS (SELECT FROM event_delivery) ON CONFLICT DO NOTHING
    RETURNING value
  ), made AS (
    SELECT value::int AS made FROM first UNION ALL SELECT value::int FROM setting WHERE key = 'rules-version'
  )
  SELECT made, EXISTS (SELECT FROM rebuild WHERE finished_at IS NULL AND rules_version <> $1) AS others FROM made`
