import 'server-only'
import type pg from 'pg'

/** Replaces bodies in the log, by delivery id. Only an erasure does that. */
export async function overwriteBodies(
  database: pg.Pool | pg.ClientBase,
  bodies: ReadonlyMap<string, Uint8Array>,
): Promise<void> {
  if (bodies.size > 0) await database.query(OVERWRITE, [[...bodies.keys()], [...bodies.values()]])
}

const OVERWRITE = `
  UPDATE delivery SET body = given.body FROM unnest($1::uuid[], $2::bytea[]) AS given (id, body)
  WHERE delivery.id = given.id`
