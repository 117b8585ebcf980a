import 'server-only'
import type pg from 'pg'
import { isLowerCaseUuid } from '#lib/platform/rules/ids.ts'

/** A page of those whom stored events name. */
export interface NamedUsers {
  readonly userUuids: readonly string[]
  /** Where the next page begins; null after the last. */
  readonly next: string | null
}

/** Probes of the index in one page. */
const pageSize = 500

/** Whom events name, each once, in order: by probes of an index, however many events name one. */
export async function listNamedUsers(pool: pg.Pool, after: string): Promise<NamedUsers> {
  const { rows } = await pool.query<{ entity_uuid: string }>(NAMED, [after, pageSize])
  const last = rows.at(-1)?.entity_uuid ?? null
  return {
    userUuids: rows.map((row) => row.entity_uuid).filter(isLowerCaseUuid),
    next: rows.length < pageSize ? null : last,
  }
}

const NAMED = `
  WITH RECURSIVE named AS (
    (SELECT entity_uuid, 1 AS number FROM event WHERE entity_uuid > $1 ORDER BY entity_uuid LIMIT 1)
    UNION ALL
    SELECT next.entity_uuid, named.number + 1 FROM named, LATERAL (
      SELECT entity_uuid FROM event WHERE entity_uuid > named.entity_uuid ORDER BY entity_uuid LIMIT 1
    ) AS next WHERE named.number < $2
  )
  SELECT entity_uuid FROM named`
