import 'server-only'
import { planOnce } from '#lib/platform/db/plan-once.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { isLowerCaseUuid } from '#lib/platform/rules/uuid.ts'

/** The e-mail of each of these that the directory knows; what is no uuid is nobody there. */
export async function emailsOf(userUuids: Iterable<string | null>): Promise<ReadonlyMap<string, string>> {
  const asked = new Set([...userUuids].filter((given) => given !== null && isLowerCaseUuid(given)))
  if (asked.size === 0) return new Map()
  const { rows } = await pool().query<{ user_uuid: string; email: string }>({
    ...EMAILS,
    values: [[...asked]],
  })
  return new Map(rows.map((row) => [row.user_uuid, row.email]))
}

const EMAILS = planOnce(
  'SELECT user_uuid, email FROM person WHERE user_uuid = ANY($1::uuid[]) AND email IS NOT NULL',
)
