import 'server-only'
import { bouncedAt } from '#lib/identity/rules/bounce.ts'
import { happenedDays } from '#lib/operations/rules/attention-kinds.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { bodyOf } from '#lib/platform/db/statements.ts'

/** A mail with a code came back (§6.6). */
export interface Bounce {
  readonly at: Date
  readonly body: Buffer | null
  /** No later code was used, and the bounce is as recent as the overview asks for. */
  readonly lasts: boolean
}

/** Each of these users gets the last bounce of a mail to them, if there was one. The caller has checked access. */
export async function readBounces(userUuids: readonly string[]): Promise<ReadonlyMap<string, Bounce>> {
  const bounces = new Map<string, Bounce>()
  if (userUuids.length === 0) return bounces
  const [{ rows }, used] = await Promise.all([
    pool().query<BounceRow>(BOUNCES, [userUuids, mostBounces]),
    pool().query<{ user_uuid: string | null; at: Date }>(CODES_USED, [userUuids]),
  ])
  const usedAt = new Map(used.rows.map((row) => [row.user_uuid, row.at]))
  const since = Date.now() - happenedDays * 86_400_000
  for (const { entity_uuid: userUuid, last_received_at, body } of rows) {
    if (userUuid === null) continue
    const at = bouncedAt(body, last_received_at)
    const known = bounces.get(userUuid)
    if (known && known.at >= at) continue
    const codeAt = usedAt.get(userUuid)
    const isOver = (codeAt && codeAt > at) || last_received_at.getTime() < since
    bounces.set(userUuid, { at, body, lasts: !isOver })
  }
  return bounces
}

/** A delivery of an old bounce may come late, so several of each user are read. */
const mostBounces = 20

interface BounceRow {
  readonly entity_uuid: string | null
  readonly last_received_at: Date
  readonly body: Buffer | null
}

const BOUNCES = `
  WITH kept AS MATERIALIZED (
    SELECT * FROM (
      SELECT id, entity_uuid, last_received_at, envelope, row_number() OVER (PARTITION BY entity_uuid ORDER BY id DESC) AS nth
      FROM event WHERE entity_uuid = ANY($1::text[]) AND type = 'otpNotification'
    ) AS one WHERE nth <= $2
  ) SELECT entity_uuid, last_received_at, ${bodyOf('kept')} AS body FROM kept`

const CODES_USED = `
  SELECT user_uuid, max(created_at) AS at FROM session
  WHERE user_uuid = ANY($1::uuid[]) AND method = 'code' GROUP BY user_uuid`
