import 'server-only'
import type { CallSource, RequestContext } from '#lib/access/caller.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { logOf } from '#lib/platform/log.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { getUser, type ServiceSession } from '#lib/service/operations.ts'
import { explainUnauthorized, serviceClient } from '#lib/service/service-client.ts'
import { findMembership } from '../members/membership.ts'
import { refusalFor, type SignInMethod, type SignInReason, type SignInRefusal } from '../rules/sign-in.ts'
import { countDenied, recordRefusal } from '../sessions/denied-requests.ts'
import { startSession } from '../sessions/open-session.ts'
import { type KnownUser, saveToDirectory } from '../users/directory.ts'
import { shareErasureLock } from '../users/erasure-lock.ts'
import { wasErased } from '../users/person-texts.ts'
import { removeCodeRequest } from './code-request.ts'
import { confirmWallet, isWalletUsable, rememberBrowser, settleSignUpAttempts } from './sign-up-record.ts'

export type SignInOutcome = SignedIn | { readonly kind: 'refused'; readonly why: SignInRefusal }

/** The reason of a refusal is for `refuseSignIn`. */
type Completion = SignedIn | { readonly kind: 'refused'; readonly why: SignInReason }

interface SignedIn {
  readonly kind: 'signed-in'
  readonly token: string
}

/** The challenge was for the user who was sent a code, or for the holder of a wallet's key. */
type Challenged =
  | { readonly method: 'code'; readonly userUuid: string }
  | { readonly method: 'wallet'; readonly address: string }

/**
 * The service has accepted the sign-in. The user that it names is compared with the challenged one; then one transaction
 * updates the directory, opens the session, remembers the browser and writes the audit. A refusal is recorded later.
 */
export async function completeSignIn(
  answer: ServiceSession,
  challenged: Challenged,
  context: RequestContext,
): Promise<Completion> {
  const { method } = challenged
  const { serviceSessionId } = answer
  const userUuid = answer.userUuid.toLowerCase()
  const user = await readUser(serviceSessionId, userUuid)
  if (user.userUuid !== userUuid) return { kind: 'refused', why: 'another-user' }
  const wallet = user.targetAddress ?? (await findWalletInDirectory(userUuid))
  const why = compareWithChallenged(userUuid, wallet, challenged)
  if (why !== null) return { kind: 'refused', why }
  if (wallet !== null) await settleSignUpAttempts(userUuid, wallet)
  const isUsable = method !== 'wallet' || (await isWalletUsable(userUuid, challenged.address))
  const { role, memberId } = await findMembership({ userUuid, memberId: null, method })
  return inTransaction<Completion>(pool(), async (tx) => {
    // This check comes last: an erasure that ends everything known about the wallet leaves its mark at the same moment.
    await shareErasureLock(tx, userUuid)
    if (await wasErased(tx, userUuid)) return { kind: 'refused', why: 'account-erased' }
    if (!isUsable) {
      // The directory entry is needed to mail the code that proves the wallet.
      await saveToDirectory(tx, user, 'sign-up')
      return { kind: 'refused', why: 'wallet-unproven' }
    }
    await saveToDirectory(tx, user, 'sign-in')
    const signedIn = { userUuid, memberId, method, serviceSessionId, role }
    const token = await startSession(tx, signedIn, context)
    if (context.browserId !== null) {
      await rememberBrowser(tx, userUuid, context.browserId)
      if (method === 'code') await settleCode(tx, userUuid, context.browserId, context)
    }
    return { kind: 'signed-in', token }
  })
}

/**
 * The result says why the user is not let in; null for the challenged user. The directory's wallet counts while
 * the service does not tell the user's (§4.3). Without either nobody is let in, because the account could be
 * somebody else's: they try again, or use a code by e-mail.
 */
function compareWithChallenged(
  userUuid: string,
  wallet: string | null,
  challenged: Challenged,
): SignInRefusal | null {
  if (challenged.method === 'code') return userUuid === challenged.userUuid ? null : 'another-user'
  if (wallet === null) return 'service-unavailable'
  return wallet.toLowerCase() === challenged.address.toLowerCase() ? null : 'another-user'
}

async function findWalletInDirectory(userUuid: string): Promise<string | null> {
  const { rows } = await pool().query<{ target_address: string | null }>(WALLET, [userUuid])
  return rows[0]?.target_address ?? null
}

const WALLET = 'SELECT target_address FROM person WHERE user_uuid = $1'

/**
 * The code is used up. A code that is typed in the browser of the sign-up proves that the wallet given there is
 * this person's.
 */
async function settleCode(tx: Transaction, userUuid: string, browserId: string, source: CallSource) {
  await removeCodeRequest(tx, userUuid, browserId)
  if (!(await confirmWallet(tx, userUuid, browserId))) return
  const entry = { actor: null, action: 'sign-up.confirm-wallet', target: userUuid, outcome: 'done' } as const
  await recordAudit(tx, entry, source)
}

/** If the profile cannot be read now, the sign-in continues with the data of the directory. */
async function readUser(serviceSessionId: string, userUuid: string): Promise<KnownUser> {
  const nothing = { email: null, targetAddress: null, firstName: null, lastName: null, country: null }
  const user = await getUser(serviceClient(), { serviceSessionId }).catch((error: unknown) => {
    if (error instanceof ServiceError) return null
    throw error
  })
  return user ? { ...user, userUuid: user.userUuid.toLowerCase() } : { userUuid, ...nothing, status: null }
}

/** Anybody can cause these refusals any number of times; they name nobody when no user of ours is meant. */
const onlyCounted: ReadonlySet<SignInReason> = new Set(['too-many', 'sso-unknown', 'no-cookies'])

/**
 * The reason is recorded, and the refusal that the person reads is returned. `target` is a user or a member; null when nobody
 * of ours is meant.
 */
export async function refuseSignIn(
  why: SignInReason,
  method: SignInMethod,
  target: string | null,
  context: RequestContext,
): Promise<SignInOutcome> {
  const place = `sign-in by ${method}: ${why}`
  const refusal = { action: 'session.start', details: { method, why } } as const
  if (target === null && onlyCounted.has(why)) await countDenied(null, place)
  else await recordRefusal({ ...refusal, ...(target === null ? {} : { target }) }, place, context)
  return { kind: 'refused', why: refusalFor(why) }
}

const log = logOf('sign-in')

/**
 * Each way of signing in gives its own meaning to the service's refusals (§7): 401, 404, and any other 4xx about the input.
 */
interface RefusalMeanings {
  readonly unauthorized: SignInReason
  readonly unknown: SignInReason
  readonly malformed: SignInReason
}

export const walletRefusals: RefusalMeanings = {
  unauthorized: 'wrong-wallet',
  unknown: 'unknown-wallet',
  malformed: 'message-refused',
}

export const codeRefusals: RefusalMeanings = {
  unauthorized: 'code-refused',
  unknown: 'code-refused',
  malformed: 'code-refused',
}

/** The service did not sign somebody in, for the reason of this code. A 401 can also mean that the API key is refused. */
export async function explainServiceRefusal(
  error: unknown,
  meanings: RefusalMeanings,
): Promise<SignInReason> {
  if (!(error instanceof ServiceError)) throw error
  switch (error.code) {
    case 'unauthorized':
    case 'not-found': {
      const why = await explainUnauthorized(serviceClient()).catch(noAnswer)
      if (why !== 'session-ended') return why === 'key-refused' ? why : 'service-unavailable'
      return error.code === 'unauthorized' ? meanings.unauthorized : meanings.unknown
    }
    case 'invalid':
    case 'rejected':
    case 'conflict':
      return meanings.malformed
    case 'too-many':
      return 'service-busy'
    case 'forbidden':
    case 'unavailable':
    case 'timed-out':
    case 'unreachable':
    case 'nonsense':
      return 'service-unavailable'
  }
}

/**
 * Everybody's attempt would have failed, so that nothing is counted against the person. After a time-out or a broken
 * connection the service may have judged a code.
 */
export const isOutage = (error: unknown, why: SignInReason): boolean =>
  why === 'key-refused' ||
  (error instanceof ServiceError &&
    (error.code === 'unavailable' || (error.code === 'unreachable' && !error.mayHaveTakenEffect)))

function noAnswer(error: unknown): 'no-answer' {
  if (!(error instanceof ServiceError)) throw error
  log.warn({ err: error }, 'Whether the API key is refused could not be asked')
  return 'no-answer'
}
