import 'server-only'
import type pg from 'pg'
import { isErased } from '#lib/identity/users/erased-users.ts'

/** Queues those of these users who are not in the directory and were never asked for. They are lower-case uuids. */
export async function noteUsers(pool: pg.Pool, userUuids: readonly string[]): Promise<void> {
  if (userUuids.length > 0) await pool.query(NOTE, [userUuids])
}

const NOTE = `
  INSERT INTO user_lookup (user_uuid, outcome)
  SELECT given.user_uuid, 'waiting' FROM unnest($1::uuid[]) AS given (user_uuid)
  WHERE NOT EXISTS (SELECT FROM person WHERE person.user_uuid = given.user_uuid AND person.email IS NOT NULL)
    AND NOT ${isErased('given.user_uuid')}
  ORDER BY given.user_uuid ON CONFLICT (user_uuid) DO NOTHING`
