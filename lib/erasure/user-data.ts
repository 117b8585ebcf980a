import 'server-only'
import type pg from 'pg'

/** All that is held of a person, as JSON, piece by piece: none of it is held as a whole. The caller has checked access. */
export async function* userData(database: pg.Pool, userUuid: string): AsyncGenerator<string> {
  yield '{\n'
  yield `  "userUuid": ${JSON.stringify(userUuid)}`
  for (const [name, sql] of Object.entries(parts)) {
    yield `,\n  ${JSON.stringify(name)}: [`
    let separator = '\n    '
    for await (const row of rowsOf(database, sql, userUuid)) {
      yield `${separator}${JSON.stringify(row)}`
      separator = ',\n    '
    }
    yield separator === '\n    ' ? ']' : '\n  ]'
  }
  yield '\n}\n'
}

/** Rows of one page; `key` says where the next begins. */
const pageSize = 200

interface Part {
  readonly sql: string
  readonly paged: boolean
}

async function* rowsOf(database: pg.Pool, { sql, paged }: Part, userUuid: string): AsyncGenerator<unknown> {
  let after = ''
  for (;;) {
    const values = paged ? [userUuid, after, pageSize] : [userUuid]
    const { rows } = await database.query<{ key: string; row: unknown }>(sql, values)
    for (const { row } of rows) yield row
    after = rows.at(-1)?.key ?? ''
    if (!paged || rows.length < pageSize) return
  }
}

const whole = (table: string, columns: string, where: string): Part => ({
  sql: `SELECT '' AS key, to_jsonb(held) AS row FROM (SELECT ${columns} FROM ${table} WHERE ${where}) AS held`,
  paged: false,
})

/** What is held, by the name under which it is given. Secrets and digests are about nobody and are left out. */
const parts = {
  directory: whole(
    'person',
    'email, target_address, first_name, last_name, country, status, customer_number, linked_corporates, source, created_at, updated_at',
    'user_uuid = $1::uuid',
  ),
  signIns: whole(
    'session',
    'method, role, user_agent, ip, created_at, signed_in_at, last_seen_at, expires_at, ended_at, end_reason',
    'user_uuid = $1::uuid',
  ),
  knownBrowsers: whole('known_browser', 'seen_at', 'user_uuid = $1::uuid'),
  codes: whole('code_request', 'sent_at', 'user_uuid = $1::uuid'),
  lookUp: whole('user_lookup', 'outcome, noted_at', 'user_uuid = $1::uuid'),
  transactions: {
    sql: `SELECT subject_id AS key, to_jsonb(t) AS row FROM transaction AS t
          WHERE user_uuid = $1 AND subject_id > $2 ORDER BY subject_id LIMIT $3`,
    paged: true,
  },
  events: {
    sql: `SELECT id::text AS key,
                 jsonb_build_object('id', id, 'subject', subject_id, 'type', type, 'subType', sub_type, 'status', status,
                   'receivedAt', first_received_at, 'deliveries', deliveries,
                   'body', encode(event_body(id, envelope), 'escape')) AS row
          FROM event WHERE entity_uuid = $1 AND id > COALESCE(NULLIF($2, ''), '00000000-0000-0000-0000-000000000000')::uuid
          ORDER BY id LIMIT $3`,
    paged: true,
  },
  audit: {
    sql: `SELECT id::text AS key,
                 jsonb_build_object('at', at, 'action', action, 'outcome', outcome, 'byThePerson', actor = $1, 'ip', ip) AS row
          FROM audit WHERE (target = $1 OR actor = $1)
            AND id > COALESCE(NULLIF($2, ''), '00000000-0000-0000-0000-000000000000')::uuid
          ORDER BY id LIMIT $3`,
    paged: true,
  },
} as const satisfies Record<string, Part>
