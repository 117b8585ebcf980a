import 'server-only'
import pg from 'pg'
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import { pool } from '../db/pool.ts'
import { keyedDigest } from '../keys/hmac.ts'
import { Refused, TooMany, waitLabel } from '../refusals.ts'
import { addressBlock } from '../rules/network-addresses.ts'

const day = 24 * 3600

/** How often, per so many seconds. ASSUMED throughout: the contract shows no limits (§8). */
const limits = {
  /** One code for one browser and address, then a pause. */
  'code-pause': { points: 1, duration: 30 },
  /** Codes for one person, asked for in browsers that this person has signed in with before. */
  'code-known-browsers': { points: 4, duration: 15 * 60 },
  /** The same in one browser in which somebody signed up with the person's address. */
  'code-sign-up-browser': { points: 4, duration: 15 * 60 },
  'code-sign-up-browser-daily': { points: 10, duration: day },
  /**
   * The same in all other browsers together, for an address in one spelling, and in any case. The latter is more, since two
   * people may share it: what is tried for one leaves the other a code.
   */
  'code-strangers': { points: 5, duration: 15 * 60 },
  'code-strangers-any-case': { points: 6, duration: 15 * 60 },
  'code-strangers-daily': { points: 30, duration: day },
  'code-strangers-any-case-daily': { points: 40, duration: day },
  /** Codes for one address typed in browsers that its person has not signed in with before; of two people as above. */
  'guess-strangers-daily': { points: 50, duration: day },
  'guess-strangers-any-case-daily': { points: 60, duration: day },
  /** Codes for one person typed in one browser that this person has signed in with before. */
  'guess-known-browser-daily': { points: 60, duration: day },
  /** The same in one browser in which somebody signed up with the person's address, before it counts as a stranger's. */
  'guess-sign-up-browser-daily': { points: 15, duration: day },
  /** Browsers that are told apart from strangers since somebody signed up there with one address, and one of them. */
  'sign-up-browsers': { points: 3, duration: 7 * day },
  'signed-up-here': { points: 1, duration: 7 * day },
  'code-per-ip': { points: 40, duration: 15 * 60 },
  /** Codes typed in browsers that asked for none. */
  'guess-per-ip': { points: 100, duration: 15 * 60 },
  'challenge-per-ip': { points: 120, duration: 15 * 60 },
  'wallet-per-ip': { points: 60, duration: 15 * 60 },
  'passkey-per-ip': { points: 120, duration: 15 * 60 },
  'account-per-ip': { points: 20, duration: 60 * 60 },
  'sso-per-ip': { points: 60, duration: 15 * 60 },
  /** Browsers that come back from the provider of single sign-on. */
  'sso-return-per-ip': { points: 120, duration: 15 * 60 },
  /** Logout tokens that come from the provider of single sign-on, and one of them: it is taken once. */
  'sso-logout-per-ip': { points: 1_200, duration: 15 * 60 },
  'sso-logout-token': { points: 1, duration: 2 * 60 * 60 },
  /** How often keys are read for a logout token of an unknown one, which anybody can forge. */
  'sso-logout-keys': { points: 30, duration: 60 },
  'link-per-ip': { points: 60, duration: 15 * 60 },
  /** Refusals of strangers that the audit has an entry each for, of one address and of all; further ones are counted. */
  'refusals-per-ip': { points: 100, duration: 15 * 60 },
  refusals: { points: 1_000, duration: 60 * 60 },
  'search-per-person': { points: 300, duration: 5 * 60 },
  /** One text of one person: looking for it again within so long counts against the next limit instead. */
  'search-again': { points: 1, duration: 5 * 60 },
  'search-again-per-person': { points: 3_000, duration: 5 * 60 },
  /**
   * Account numbers that somebody who sees them masked may look for whole. Of a Norwegian number, whose own check digit is known
   * too, the mask leaves about 91 to try, of a British one 10,000 (103 with its check digits): these take more than two days. A
   * paste of 40 goes through, so a limit by the hour could stop nobody whom this does not.
   */
  'account-number-per-person': { points: 45, duration: day },
  /** One number of one person: looking for it again counts for nothing. */
  'account-number-again': { points: 1, duration: day },
  'reveal-per-person': { points: 60, duration: 60 * 60 },
  /** Tries to match one field of one transaction with what somebody says. */
  'match-per-field': { points: 10, duration: 15 * 60 },
  /** The same for one value, in whichever transactions it stands. */
  'match-per-value-daily': { points: 20, duration: day },
  'match-per-person': { points: 60, duration: 60 * 60 },
  'bounce-per-ip': { points: 600, duration: 15 * 60 },
} as const

export type Limit = keyof typeof limits

/**
 * Counts so many more for `key`, in the database, for all processes.
 * @returns 0 when allowed, else seconds to wait
 */
export async function consumeLimit(limit: Limit, key: string | null, times = 1): Promise<number> {
  try {
    const counted = limit.endsWith('-per-ip') ? blockOf(key) : key
    // A proxy does not say whom it speaks for, which `findAddress` has said loudly: nobody is counted for everybody.
    if (counted === null && limit.endsWith('-per-ip')) return 0
    await limiter(limit).consume(digest(counted), times)
    return 0
  } catch (stop) {
    if (stop instanceof RateLimiterRes) return Math.max(1, Math.ceil(stop.msBeforeNext / 1000))
    throw stop
  }
}

/** Seconds to wait before one more for `key` is allowed, 0 for now. Counts nothing. */
export async function readWait(limit: Limit, key: string): Promise<number> {
  const { left, seconds } = await readLeft(limit, key)
  return left === 0 ? seconds : 0
}

/** How many more are allowed for `key`, and in how many seconds it starts over. Counts nothing. */
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

/** Starts over for `key`. */
export async function resetLimit(limit: Limit, key: string): Promise<void> {
  await limiter(limit).delete(digest(key))
}

/** The pause between two codes for one address in one browser, in seconds. */
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
    // lib/operations/retention does that, in small steps.
    clearExpiredByTimeout: false,
    ...limits[limit],
  })
  open.set(limit, made)
  return made
}

/** The limiter calculates with what the database gives: bigint columns as numbers, not as our pool reads them. */
const numbers: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === 20 ? Number : pg.types.getTypeParser(oid, format),
}

/** Addresses are not kept in the clear just to be counted. */
const digest = (key: string | null) => keyedDigest('limit', key ?? '').toString('base64url')

/** Counts one more for `key`. Throws `Refused`, which says how long to wait. */
export async function refuseBeyondLimit(limit: Limit, key: string | null, title: string): Promise<void> {
  const seconds = await consumeLimit(limit, key)
  if (seconds > 0) throw refuseWithWait(seconds, title)
}

/** Too many, or too soon: says how long to wait. */
export function refuseWithWait(seconds: number, title: string): Refused {
  return new Refused({ title, next: `Wait ${waitLabel(seconds)}, then try again.` })
}

/** Counts so many more for `key`. Throws `TooMany`. */
export async function requireWithinLimit(limit: Limit, key: string, times = 1): Promise<void> {
  const seconds = await consumeLimit(limit, key, times)
  if (seconds > 0) throw new TooMany(seconds)
}
