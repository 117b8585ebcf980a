import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { saveToDirectory } from '#lib/identity/users/directory.ts'
import { shareUserQueueLock } from '#lib/identity/users/erasure-lock.ts'
import { isErased } from '#lib/identity/users/person-texts.ts'
import { changeChannel, parseChange } from '#lib/platform/change-notification.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { Job } from '#lib/platform/db/lease.ts'
import type { Listener } from '#lib/platform/db/listen.ts'
import { causeOf, limitedLog, noting } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { isLowerCaseUuid } from '#lib/platform/rules/ids.ts'
import type { ServiceClient } from '#lib/service/client.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { getUser, type ServiceUser } from '#lib/service/operations.ts'
import { explainUnauthorized } from '#lib/service/service-client.ts'

const log = logOf('user-lookup')
const limited = limitedLog(log)

/** Deliveries name users, and the reader adds them to the directory, beside everything else. */
export interface UserReader {
  /** `stop` ends the reader after the present round. */
  stop(): Promise<void>
}

/** ASSUMED, in ms: the service accepts this pace; the contract shows no limits (§8). */
const defaultTimes = { round: 1_000, pace: 200, sweepEvery: 3_600_000 }

/** A round reads a few users, each for at most 10 s. The lease is in ms. */
const leaseMs = 90_000

/** The service may ask for a pause; it lasts at most this many seconds. */
const longestPause = 300

/**
 * At most `mostNoted` users wait to be queued, and `mostRemembered` are remembered as queued. The sweep finds the
 * rest.
 */
const mostNoted = 5_000
const mostRemembered = 50_000

/**
 * One process at a time reads users. It learns of them from the announcements of projectors, and reads through all
 * events from time to time for users whose announcement it missed.
 */
export function startUserReader(
  pool: pg.Pool,
  source: Listener,
  service: ServiceClient,
  times = defaultTimes,
): UserReader {
  const job = new Job('user-lookup', leaseMs)
  const noted = new Set<string>()
  const remembered = new Set<string>()
  let cursor: string | null = ''
  let sweepAt = 0
  let pausedUntil = 0
  let failures = 0
  let stopping = false

  const unsubscribe = source.subscribe(changeChannel, (payload) => {
    for (const [, userUuid] of parseChange(payload)?.subjects ?? []) {
      if (userUuid === null || noted.size >= mostNoted || remembered.has(userUuid)) continue
      if (isLowerCaseUuid(userUuid)) noted.add(userUuid)
    }
  })

  async function noteFound() {
    const found = [...noted]
    noted.clear()
    if (remembered.size > mostRemembered) remembered.clear()
    await noteUsers(pool, found)
    for (const userUuid of found) remembered.add(userUuid)
  }

  /** Each round reads one page of all events. A pause follows the last page. */
  async function sweep() {
    if (cursor === null && performance.now() < sweepAt) return
    const page = await listNamedUsers(pool, cursor ?? '')
    await noteUsers(pool, page.userUuids)
    cursor = page.next
    if (cursor === null) sweepAt = performance.now() + times.sweepEvery
  }

  async function read() {
    if (performance.now() < pausedUntil) return
    const later = await readDueUsers(pool, service, times.pace)
    failures = later ? failures + 1 : 0
    if (!later) return
    const seconds = Math.min(later.seconds ?? 2 ** failures, longestPause)
    pausedUntil = performance.now() + seconds * 1_000
    limited.warn(later.why, { seconds }, 'The service does not answer for users now; they are read later')
  }

  async function round() {
    if (!(await job.take(pool))) return noted.clear()
    await noteFound()
    await sweep()
    await read()
  }

  let timer: NodeJS.Timeout | undefined
  let underWay = Promise.resolve()
  function next() {
    underWay = round().catch((error: unknown) =>
      limited.error(causeOf(error), { err: error }, 'Users could not be read; it goes on'),
    )
    void underWay.then(() => {
      if (!stopping) timer = setTimeout(next, times.round)
    })
  }
  next()

  return {
    async stop() {
      stopping = true
      clearTimeout(timer)
      unsubscribe()
      await underWay
      await job.release(pool).catch(noting(log)('warn', 'The lease was not given back; it expires'))
    },
  }
}

/** Stored events name these users. */
interface NamedUsers {
  readonly userUuids: readonly string[]
  /** The next page begins after this user; null after the last one. */
  readonly next: string | null
}

/** Users of one page. */
const pageSize = 500

/** The users whom events name, each once, in the order of an index. */
async function listNamedUsers(pool: pg.Pool, after: string): Promise<NamedUsers> {
  const { rows } = await pool.query<{ entity_uuid: string }>(NAMED, [after, pageSize])
  const last = rows.at(-1)?.entity_uuid ?? null
  return {
    userUuids: rows.map((row) => row.entity_uuid).filter(isLowerCaseUuid),
    next: rows.length < pageSize ? null : last,
  }
}

const NAMED = `
  SELECT DISTINCT entity_uuid FROM event WHERE entity_uuid IS NOT NULL AND entity_uuid > $1 ORDER BY entity_uuid LIMIT $2`

/** The users who are not in the directory and were never asked for are queued. The uuids are in lower case. */
export async function noteUsers(pool: pg.Pool, userUuids: readonly string[]): Promise<void> {
  if (userUuids.length === 0) return
  await inTransaction(pool, async (tx) => {
    await shareUserQueueLock(tx)
    await tx.query(NOTE, [userUuids])
  })
}

const NOTE = `
  INSERT INTO user_lookup (user_uuid, outcome)
  SELECT given.user_uuid, 'waiting' FROM unnest($1::uuid[]) AS given (user_uuid)
  WHERE NOT EXISTS (SELECT FROM person WHERE person.user_uuid = given.user_uuid AND person.email IS NOT NULL)
    AND NOT ${isErased('given.user_uuid')}
  ORDER BY given.user_uuid ON CONFLICT (user_uuid) DO NOTHING`

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
