import 'server-only'
import {
  AuthorizationResponseError,
  authorizationCodeGrant,
  type Configuration,
  fetchUserInfo,
} from 'openid-client'
import type { Caller, RequestContext } from '#lib/access/caller.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { digestToken } from '#lib/platform/keys/digests-and-seals.ts'
import { consumeLimit } from '#lib/platform/limits/limits.ts'
import type { SignInRefusal } from '../rules/sign-in.ts'
import { keepProviderSession } from '../sessions/read-session.ts'
import { refuseSignIn } from '../sign-in/complete-sign-in.ts'
import { admitByClaims } from './admit-by-claims.ts'
import { askOtherwise, beganAt, callbackUrl, type Question } from './begin-single-sign-on.ts'
import { type Answer, clockTolerance, type Proof, readClaims, readProof } from './claims.ts'
import { explainFailure, hasEndedThere, hasUnreadableTime, refusesQuestion } from './explain-failure.ts'
import { noteClockDifference, readProvider } from './provider.ts'
import { reportRefusal, reportTest } from './reports.ts'

export type SingleSignOnOutcome =
  | { readonly kind: 'signed-in'; readonly token: string; readonly next: string | null }
  /** An admin tested it: the page Settings shows the result. */
  | { readonly kind: 'tested' }
  /** The provider refused the form of the request, answered it in none that can be read, or ended the sign-in. It is asked anew at this address. */
  | { readonly kind: 'asked-anew'; readonly url: string }
  | {
      readonly kind: 'refused'
      readonly why: SignInRefusal
      readonly next: string | null
      /** True when a person who is signed in was to prove again who they are. */
      readonly again: boolean
    }

/**
 * The browser returns from the provider with the first answer to a question that this very browser was sent
 * with. The code is exchanged, the identity token checked (signature, issuer, audience, nonce, times), and its
 * person signed in. `search` is the raw query; `settingUp` has opened a link and sets up a way to sign in. Whose session is
 * over meanwhile, as behind a locked page, has nothing to prove again: `isSignedIn` is false, and any sign-in is enough.
 */
export async function finishSingleSignOn(
  search: string,
  settingUp: Caller | null,
  context: RequestContext,
  isSignedIn = false,
): Promise<SingleSignOnOutcome> {
  const url = callbackUrl()
  url.search = search
  const isFlood = (await consumeLimit('sso-return-per-ip', context.ip)) > 0
  const attempt = isFlood ? null : await takeAttempt(url.searchParams.get('state'), context.browserId)
  // A refused person continues from the page where they were, even when the answer fits no question.
  const asked = attempt ?? (await findLatestQuestion(context.browserId))
  const isAgain = isSignedIn && asked !== null && asked.proofSince !== null
  const refuse = async (why: SignInRefusal, target: string | null = null): Promise<SingleSignOnOutcome> => {
    await refuseSignIn(why, 'sso', target, context)
    return { kind: 'refused', why, next: asked?.next ?? null, again: isAgain }
  }
  // A browser that was sent to the provider has a cookie of ours since then. A stranger's link has no question of ours.
  const lacksCookies =
    !isFlood && context.browserId === null && (await wasAsked(url.searchParams.get('state')))
  if (!attempt) return refuse(isFlood ? 'too-many' : lacksCookies ? 'no-cookies' : 'sso-unknown')
  const answer =
    attempt.expiresAt <= new Date()
      ? 'sso-expired'
      : await askProvider(url, attempt, isAgain).catch((error) => askAnew(error, attempt, isAgain, context))
  if (answer instanceof URL) return { kind: 'asked-anew', url: answer.href }
  if (attempt.testedBy !== null) {
    await reportTest(attempt.testedBy, answer)
    return { kind: 'tested' }
  }
  if (typeof answer === 'string') return refuse(answer)
  const admitted = await admitByClaims(answer, settingUp, context)
  if (admitted.kind === 'refused') {
    await reportRefusal(answer, admitted)
    return refuse(admitted.why, admitted.memberId)
  }
  const { idToken = null, claims } = answer
  await keepProviderSession(digestToken(admitted.token), { idToken, sid: claims.sid ?? null })
  return { kind: 'signed-in', token: admitted.token, next: attempt.next }
}

interface Attempt extends Question {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
  /** No other form of the request is tried when the provider refuses this one. */
  readonly isLast: boolean
  /** The time is by the clock of this machine, as its beginning was. */
  readonly expiresAt: Date
}

/** The browser was sent away with this attempt, which is deleted, so that the same answer is not accepted twice. */
async function takeAttempt(state: string | null, browserId: string | null): Promise<Attempt | null> {
  if (state === null || browserId === null) return null
  const { rows } = await pool().query<Omit<Attempt, 'state'>>(TAKE, [
    digestToken(state),
    digestToken(browserId),
  ])
  const [row] = rows
  return row ? { state, ...row } : null
}

const TAKE = `
  DELETE FROM sso_attempt WHERE state_digest = $1 AND browser_digest = $2
  RETURNING nonce, code_verifier AS "codeVerifier", next, proof_since AS "proofSince", another, is_last AS "isLast",
    expires_at AS "expiresAt", tested_by AS "testedBy"`

async function wasAsked(state: string | null): Promise<boolean> {
  if (state === null) return false
  const asked = 'SELECT FROM sso_attempt WHERE state_digest = $1 AND expires_at > clock_timestamp()'
  return ((await pool().query(asked, [digestToken(state)])).rowCount ?? 0) > 0
}

/** The browser was last sent away with this question and has brought no answer to it. */
async function findLatestQuestion(browserId: string | null): Promise<Question | null> {
  if (browserId === null) return null
  const { rows } = await pool().query<Question>(LATEST, [digestToken(browserId)])
  return rows[0] ?? null
}

const LATEST = `
  SELECT next, proof_since AS "proofSince", another, tested_by AS "testedBy" FROM sso_attempt WHERE browser_digest = $1
  ORDER BY expires_at DESC LIMIT 1`

/** The result is the address of a further request, or the reason why the answer is not accepted. */
async function askAnew(
  error: unknown,
  { isLast, ...question }: Attempt,
  isAgain: boolean,
  { browserId }: RequestContext,
): Promise<URL | SignInRefusal> {
  const isRefused = error instanceof AuthorizationResponseError && refusesQuestion(error)
  // A provider that was not asked for the time may leave it out. That helps nobody who must prove themselves again.
  const mayAsk = isRefused || hasEndedThere(error) || (!isAgain && hasUnreadableTime(error))
  // A provider that lets nobody sign in anew may know the person already, which is enough where the session is over.
  const isEased = isLast && isRefused && !isAgain && question.proofSince !== null
  if (!mayAsk || (isLast && !isEased) || browserId === null) return explainFailure(error, isAgain)
  try {
    const url = await askOtherwise(error, isEased ? { ...question, proofSince: null } : question, browserId)
    return url === null ? explainFailure(error, isAgain) : new URL(url)
  } catch (failure) {
    return explainFailure(failure, isAgain)
  }
}

interface SignedAnswer extends Answer {
  readonly idToken: string | undefined
}

/** The code is exchanged and the result checked; claims that only the userinfo endpoint gives are added. */
async function askProvider(
  url: URL,
  { state, nonce, codeVerifier, proofSince, expiresAt }: Attempt,
  isAgain: boolean,
): Promise<SignedAnswer | SignInRefusal> {
  const { configuration: provider, client } = await readProvider()
  const checks = {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: codeVerifier,
    idTokenExpected: true,
  }
  const tokens = await client.asking(provider.serverMetadata(), () =>
    authorizationCodeGrant(provider, url, checks),
  )
  const token = tokens.claims()
  const userInfo = token && (await readUserInfo(provider, tokens.access_token, token.sub))
  const claims = readClaims({ ...token }, { ...userInfo })
  const proof = readProof(claims, beganAt(expiresAt), new Date())
  if (proof.clockDifference !== 0) noteClockDifference(proof.clockDifference)
  if (isAgain && proofSince && !isSince(proof, proofSince)) return 'sso-not-again'
  return { claims, sets: [{ ...token }, { ...userInfo }], proof, idToken: tokens.id_token }
}

const isSince = ({ at }: Proof, since: Date): boolean =>
  at !== null && at.getTime() >= since.getTime() - clockTolerance * 1000

async function readUserInfo(provider: Configuration, accessToken: string, subject: string) {
  if (provider.serverMetadata().userinfo_endpoint === undefined) return {}
  return fetchUserInfo(provider, accessToken, subject)
}
