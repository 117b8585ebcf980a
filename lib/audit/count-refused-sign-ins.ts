import 'server-only'
import type pg from 'pg'

/**
 * `countRefusedSignIns` counts the sign-ins that were refused in the last minutes. Of many by strangers, the audit has only
 * the first ones as entries, and the others as numbers.
 */
export async function countRefusedSignIns(
  database: Pick<pg.Pool, 'query'>,
  minutes: number,
): Promise<number> {
  const { rows } = await database.query<{ count: number }>(COUNT, [minutes])
  return rows[0]?.count ?? 0
}

/** Counted refusals name the place of a sign-in, and stay in `audit_counter` until their minute is over. */
const counted = `action = 'access.denied' AND target LIKE 'sign-in by %'`

/** The first condition repeats that of the index `audit_refused_sign_in_idx`. */
const COUNT = `
  SELECT ((SELECT count(*) FROM audit
      WHERE action = 'session.start' AND outcome = 'refused' AND at >= now() - $1 * interval '1 minute')
    + (SELECT COALESCE(sum((details ->> 'count')::int), 0) FROM audit
      WHERE ${counted} AND at >= now() - $1 * interval '1 minute')
    + (SELECT COALESCE(sum(count), 0) FROM audit_counter
      WHERE ${counted} AND minute >= now() - $1 * interval '1 minute'))::int AS count`
