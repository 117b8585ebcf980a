import 'server-only'
import pg from 'pg'
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { RefusalCode } from '#lib/words/labels/refusals.ts'
import { pool } from '../db/pool.ts'
import { keyedDigest } from '../keys/digests-and-seals.ts'
import { Refused, TooMany, waitTime } from '../refusals.ts'
import { addressBlock } from '../rules/network-addresses.ts'

const day = 24 * 3600

/** A limit is a number of `points` per `duration` in seconds. ASSUMED throughout: the contract shows no limits (§8). */
const limits = {
  /** Cool-down: a browser gets one code for an address, known or unknown, and then must wait. */
  'code-pause': { points: 1, duration: 30 },
  /** A person gets these codes in browsers in which they have signed in before. */
  'code-known-browsers': { points: 4, duration: 15 * 60 },
  /** A browser in which somebody signed up with the person's address gets these codes. */
  'code-sign-up-browser': { points: 4, duration: 15 * 60 },
  'code-sign-up-browser-daily': { points: 10, duration: day },
  /**
   * All other browsers together get these codes for an address, in one spelling and in any case. The second limit is higher,
   * because two people may share it: tries for one leave the other a code.
   */
  'code-strangers': { points: 5, duration: 15 * 60 },
  'code-strangers-any-case': { points: 6, duration: 15 * 60 },
  'code-strangers-daily': { points: 30, duration: day },
  'code-strangers-any-case-daily': { points: 40, duration: day },
  /**
   * Codes for an address are typed in browsers in which its person has not signed in before. Two people may share the second
   * limit, as above.
   */
  'guess-strangers-daily': { points: 50, duration: day },
  'guess-strangers-any-case-daily': { points: 60, duration: day },
  /** Codes for a person are typed in one browser in which they have signed in before. */
  'guess-known-browser-daily': { points: 60, duration: day },
  /**
   * Codes are typed in one browser in which somebody signed up with the person's address, before it counts as a stranger's.
   */
  'guess-sign-up-browser-daily': { points: 15, duration: day },
  /**
   * Browsers in which somebody signed up with an address do not count as strangers'. The second limit is for one of them.
   */
  'sign-up-browsers': { points: 3, duration: 7 * day },
  'signed-up-here': { points: 1, duration: 7 * day },
  'code-per-ip': { points: 40, duration: 15 * 60 },
  /** Codes are typed in browsers that requested none. */
  'guess-per-ip': { points: 100, duration: 15 * 60 },
  'challenge-per-ip': { points: 120, duration: 15 * 60 },
  'wallet-per-ip': { points: 60, duration: 15 * 60 },
  /** Passkeys are asked for by browsers, and answer. */
  'passkey-per-ip': { points: 120, duration: 15 * 60 },
  'passkey-answer-per-ip': { points: 120, duration: 15 * 60 },
  'account-per-ip': { points: 20, duration: 60 * 60 },
  'sso-per-ip': { points: 60, duration: 15 * 60 },
  /** Browsers return from the provider of single sign-on. */
  'sso-return-per-ip': { points: 120, duration: 15 * 60 },
  /** Logout tokens arrive from the provider of single sign-on. Each token is accepted once. */
  'sso-logout-per-ip': { points: 1_200, duration: 15 * 60 },
  'sso-logout-token': { points: 1, duration: 2 * 60 * 60 },
  /** A logout token with an unknown key causes the keys to be read, and anybody can forge one. */
  'sso-logout-keys': { points: 30, duration: 60 },
  'link-per-ip': { points: 60, duration: 15 * 60 },
  /**
   * The audit has an entry for each of these refusals of strangers, for one address and for all. Further ones are only
   * counted.
   */
  'refusals-per-ip': { points: 100, duration: 15 * 60 },
  refusals: { points: 1_000, duration: 60 * 60 },
  'search-per-person': { points: 300, duration: 5 * 60 },
  /** A person may repeat a search text. A repetition within this time counts against the next limit instead. */
  'search-again': { points: 1, duration: 5 * 60 },
  'search-again-per-person': { points: 3_000, duration: 5 * 60 },
  /**
   * A person who sees masked account numbers may search for, or compare, so many whole ones. The mask leaves about 91 candidates for a
   * Norwegian number with its check digit, and 10,000 for a British one (103 with check digits): more than two days. A paste
   * of 40 is allowed.
   */
  'account-number-per-person': { points: 45, duration: day },
  /** A person may search for or compare one number again without it being counted. */
  'account-number-again': { points: 1, duration: day },
  'reveal-per-person': { points: 60, duration: 60 * 60 },
  /** A person tries to match one field of one transaction with a value. */
  'match-per-field': { points: 10, duration: 15 * 60 },
  /** A person tries to match one value in any transactions. */
  'match-per-value-daily': { points: 20, duration: day },
  'match-per-person': { points: 60, duration: 60 * 60 },
  'bounce-per-ip': { points: 600, duration: 15 * 60 },
} as const

export type Limit = keyof typeof limits

/**
 * `consumeLimit` counts `times` more for `key` in the database, for all processes.
 * @returns 0 when allowed, else seconds to wait
 */
export async function consumeLimit(limit: Limit, key: string | null, times = 1): Promise<number> {
  try {
    const counted = limit.endsWith('-per-ip') ? blockOf(key) : key
    // A proxy does not name the caller, and `findAddress` has logged it. Nobody is counted for everybody.
    if (counted === null && limit.endsWith('-per-ip')) return 0
    await limiter(limit).consume(digest(counted), times)
    return 0
  } catch (stop) {
    if (stop instanceof RateLimiterRes) return Math.max(1, Math.ceil(stop.msBeforeNext / 1000))
    throw stop
  }
}

/** `readWait` returns the seconds until one more for `key` is allowed, 0 for now. It counts nothing. */
export async function readWait(limit: Limit, key: string): Promise<number> {
  const { left, seconds } = await readLeft(limit, key)
  return left === 0 ? seconds : 0
}

/**
 * `readLeft` returns how many more are allowed for `key`, and the seconds until the count starts again. It counts nothing.
 */
export async function readLeft(
  limit: Limit,
  key: string,
): Promise<{ readonly left: number; readonly seconds: number }> {
  const counted = await limiter(limit).get(digest(key))
  if (!counted) return { left: limits[limit].points, seconds: 0 }
  const seconds = Math.max(0, Math.ceil(counted.msBeforeNext / 1000))
  return { left: Math.max(0, counted.remainingPoints), seconds }
}

const blockOf = (address: string | null) => address && addressBlock(address)

/** `resetLimit` starts the count for `key` again. */
export async function resetLimit(limit: Limit, key: string): Promise<void> {
  await limiter(limit).delete(digest(key))
}

/** `giveBackLimit` counts one less for `key`. A limit by network address is never given back. */
export async function giveBackLimit(limit: Exclude<Limit, `${string}-per-ip`>, key: string): Promise<void> {
  // A count that has ended meanwhile must not begin below zero.
  const counted = await limiter(limit).get(digest(key))
  if (counted && counted.consumedPoints > 0) await limiter(limit).reward(digest(key))
}

/** A browser must wait this many seconds between two codes for one address. */
export const codePauseSeconds = limits['code-pause'].duration

const open = new Map<Limit, RateLimiterPostgres>()

function limiter(limit: Limit): RateLimiterPostgres {
  const known = open.get(limit)
  if (known) return known
  const made = new RateLimiterPostgres({
    storeClient: { query: (query: pg.QueryConfig) => pool().query({ ...query, types: numbers }) },
    storeType: 'client',
    tableName: 'rate_limit',
    tableCreated: true,
    keyPrefix: limit,
    // lib/operations/retention deletes expired rows in small steps.
    clearExpiredByTimeout: false,
    ...limits[limit],
  })
  open.set(limit, made)
  return made
}

/** The limiter computes with numbers, so bigint columns are read as numbers here. */
const numbers: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === 20 ? Number : pg.types.getTypeParser(oid, format),
}

/** Addresses are not stored in clear text only to be counted. */
const digest = (key: string | null) => keyedDigest('limit', key ?? '').toString('base64url')

/** `refuseBeyondLimit` counts one more for `key`. It throws `Refused` with the time to wait. */
export async function refuseBeyondLimit(limit: Limit, key: string | null, code: LimitCode): Promise<void> {
  const seconds = await consumeLimit(limit, key)
  if (seconds > 0) throw new Refused(code, { wait: waitTime(seconds) })
}

type LimitCode = Extract<RefusalCode, `too-many-${string}`>

/** `requireWithinLimit` counts `times` more for `key`. It throws `TooMany`. */
export async function requireWithinLimit(limit: Limit, key: string, times = 1): Promise<void> {
  const seconds = await consumeLimit(limit, key, times)
  if (seconds > 0) throw new TooMany('too-many-requests', { wait: waitTime(seconds) })
}
