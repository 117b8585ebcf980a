import 'server-only'
import type pg from 'pg'

/** A page reads at most this many bodies or events. */
const bodiesOfPage = 500
const eventsOfPage = 5_000

/** A page of bodies. */
interface BodyPage<Row> {
  readonly rows: readonly Row[]
  /** The next page begins after this position. */
  readonly position: string
  /**
   * `finished`: this was everything at the time of reading. Projectors erase what arrives meanwhile, and waiting
   * until nothing arrives would never end.
   */
  readonly finished: boolean
}

/** The log holds this body. */
export interface LoggedBody {
  readonly id: string
  readonly body: Buffer
}

/** The next bodies of the log come, at most 8 MB together when they are more than one. */
export async function readLogged(
  database: pg.Pool | pg.ClientBase,
  position: string,
): Promise<BodyPage<LoggedBody>> {
  const { rows } = await database.query<LoggedBody & { page: number }>(LOGGED, [
    position === '' ? lowestId : position,
    bodiesOfPage,
  ])
  const page = rows[0]?.page ?? 0
  const finished = rows.length === page && page < bodiesOfPage
  return { rows, position: rows.at(-1)?.id ?? position, finished }
}

/** The event kept this body after the log lost it. */
export interface KeptBody extends LoggedBody {
  readonly subjectId: string
}

/** The next events give the bodies that they keep. */
export async function readKept(
  database: pg.Pool | pg.ClientBase,
  position: string,
): Promise<BodyPage<KeptBody>> {
  const { rows } = await database.query<KeptRow>(KEPT, [position === '' ? lowestId : position, eventsOfPage])
  const { last = null, page = 0, kept = [] } = rows[0] ?? {}
  return {
    rows: (kept ?? []).map(({ id, subject_id, body }) => ({
      id,
      subjectId: subject_id,
      body: Buffer.from(body, 'base64'),
    })),
    position: last ?? position,
    finished: page < eventsOfPage,
  }
}

interface KeptRow {
  readonly last: string | null
  readonly page: number
  readonly kept: readonly { readonly id: string; readonly subject_id: string; readonly body: string }[] | null
}

const lowestId = '00000000-0000-0000-0000-000000000000'

const LOGGED = `
  SELECT id, body, page FROM (
    SELECT id, body, count(*) OVER ()::int AS page, sum(octet_length(body)) OVER (ORDER BY id) AS bytes
    FROM (SELECT id, body FROM delivery WHERE id > $1::uuid ORDER BY id LIMIT $2) AS page
  ) AS looked WHERE bytes <= 8388608 OR bytes = octet_length(body) ORDER BY id`

const KEPT = `
  WITH page AS MATERIALIZED (
    SELECT subject_id, id FROM event WHERE id > $1::uuid ORDER BY id LIMIT $2
  )
  SELECT (SELECT max(id::text) FROM page) AS last, (SELECT count(*)::int FROM page) AS page,
         (SELECT json_agg(json_build_object('id', id, 'subject_id', subject_id, 'body', encode(envelope, 'base64')))
          FROM event JOIN page USING (subject_id, id) WHERE envelope IS NOT NULL) AS kept`
