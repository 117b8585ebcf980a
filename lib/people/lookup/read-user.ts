import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { saveToDirectory } from '#lib/identity/users/save-to-directory.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import type { ServiceClient } from '#lib/service/client.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { getUser, type ServiceUser } from '#lib/service/operations.ts'
import { explainUnauthorized } from '#lib/service/service-client.ts'

/**
 * The service answered like this when it was asked for a user. `not-found` and `refused` are final. `unreadable` is
 * an answer that makes no sense. `later` is not about this user: the service is busy, down, or refuses the API key.
 */
type UserReading =
  | { readonly kind: 'read'; readonly user: ServiceUser }
  | { readonly kind: 'not-found' | 'refused' | 'unreadable' }
  | {
      readonly kind: 'later'
      readonly why: 'too-many' | 'down' | 'key-refused'
      /** The service asks for this pause; null when it said nothing. */
      readonly seconds: number | null
    }

/** The service is asked for a user by uuid (§4.3, §5.1). */
export async function readUser(service: ServiceClient, userUuid: string): Promise<UserReading> {
  try {
    return { kind: 'read', user: await getUser(service, { userUuid }) }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return error.code === 'unauthorized' ? explain(service) : readingOf(error)
  }
}

function readingOf({ code, retryAfterSeconds: seconds }: ServiceError): UserReading {
  if (code === 'not-found') return { kind: 'not-found' }
  if (code === 'nonsense') return { kind: 'unreadable' }
  if (code === 'too-many') return { kind: 'later', why: 'too-many', seconds }
  if (code === 'unavailable' || code === 'timed-out' || code === 'unreachable')
    return { kind: 'later', why: 'down', seconds }
  return { kind: 'refused' }
}

/** A refused API key says nothing about the user. */
async function explain(service: ServiceClient): Promise<UserReading> {
  try {
    const why = await explainUnauthorized(service)
    return why === 'key-refused' ? { kind: 'later', why, seconds: null } : { kind: 'refused' }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { kind: 'later', why: 'down', seconds: error.retryAfterSeconds }
  }
}

/** A round asks for this many users. */
const roundSize = 5

/** The service is asked this often for a user when its answers make no sense. */
const mostUnreadable = 3

/**
 * The first tries of one user follow each other ever more slowly, within about 2.4 hours. Later ones come once a
 * day; `day` is in seconds.
 */
const quickAttempts = 9
const day = 86_400

/**
 * The service is asked for the users that are due, with `pace` milliseconds between them. Returns the service's
 * answer when it asks for a pause; null when the round is complete.
 */
export async function readDueUsers(
  pool: pg.Pool,
  service: ServiceClient,
  pace: number,
): Promise<Extract<UserReading, { kind: 'later' }> | null> {
  const { rows } = await pool.query<{ user_uuid: string; attempts: number }>(DUE, [roundSize])
  for (const { user_uuid: userUuid, attempts } of rows) {
    const [reading] = await Promise.all([readUser(service, userUuid), sleep(pace)])
    if (reading.kind === 'read') await enter(pool, userUuid, reading.user)
    else if (reading.kind === 'later' && reading.why !== 'down') return reading
    else await postpone(pool, userUuid, reading.kind, attempts + 1)
    if (reading.kind === 'later') return reading
  }
  return null
}

async function enter(pool: pg.Pool, userUuid: string, user: ServiceUser): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await saveToDirectory(tx, { ...user, userUuid }, 'delivery')
    await tx.query(SETTLE, [userUuid, 'read'])
  })
}

/**
 * A refusal is stored. What may succeed later is asked again, with growing pauses. A user is never given up because
 * the service was down, since nobody would ask for them again.
 */
async function postpone(
  pool: pg.Pool,
  userUuid: string,
  kind: 'not-found' | 'refused' | 'unreadable' | 'later',
  attempts: number,
): Promise<void> {
  if (kind === 'later' || (kind === 'unreadable' && attempts < mostUnreadable))
    await pool.query(AGAIN, [userUuid, attempts, secondsAfter(attempts)])
  else await pool.query(SETTLE, [userUuid, kind])
}

const secondsAfter = (attempts: number): number =>
  attempts > quickAttempts ? day : Math.min(10 * 2 ** attempts, 3_600)

const DUE = `
  SELECT user_uuid, attempts FROM user_lookup WHERE next_at <= clock_timestamp() ORDER BY next_at LIMIT $1`

const SETTLE = `
  UPDATE user_lookup SET outcome = $2, next_at = NULL, attempts = attempts + 1 WHERE user_uuid = $1`

const AGAIN = `
  UPDATE user_lookup SET attempts = $2, next_at = clock_timestamp() + $3 * interval '1 second' WHERE user_uuid = $1`
