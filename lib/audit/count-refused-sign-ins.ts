import 'server-only'
import type pg from 'pg'

/** `countRefusedSignIns` counts the sign-ins that were refused in the last minutes, by an index of their own. */
export async function countRefusedSignIns(
  database: Pick<pg.Pool, 'query'>,
  minutes: number,
): Promise<number> {
  const { rows } = await database.query<{ count: number }>(COUNT, [minutes])
  return rows[0]?.count ?? 0
}

/** The condition repeats that of the index `audit_refused_sign_in_idx`. */
const COUNT = `
  SELECT count(*)::int AS count FROM audit
  WHERE action = 'session.start' AND outcome = 'refused' AND at >= now() - $1 * interval '1 minute'`
