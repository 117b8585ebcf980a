import {
  type ExpectedOutcome,
  type Model,
  type ModelCode,
  type ModelSession,
  type ModelUser,
  oneMinute,
  oneSecond,
} from './model.ts'

/** §4.3. ASSUMED: e-mail, in its exact case, and target_address are unique, a second user with the same is a 409. */
export function createUserInModel(model: Model, email: string, wallet: string | undefined): ExpectedOutcome {
  const taken = (user: ModelUser) => user.email === email || (wallet !== undefined && user.wallet === wallet)
  if (model.users.some(taken)) return { status: 409 }
  const user = { name: `user ${model.users.length}`, email, wallet, codes: [] }
  model.users.push(user)
  return { status: 201, body: { user_uuid: user.name, status: 'CREATED' } }
}

/** §4.1, §7. ASSUMED: so many codes in a sliding window, and a mail that bounces is reported after 2 s (§6.6). */
export function triggerCodeInModel(model: Model, user: ModelUser | undefined): ExpectedOutcome {
  if (!user) return { status: 404 }
  const { codeWindowMinutes, codesPerWindow, retryAfter } = model.settings
  const window = codeWindowMinutes * oneMinute
  const blocking = user.codes.filter(({ sentAt }) => sentAt > model.now - window).at(-codesPerWindow)
  if (blocking) {
    const wait = (blocking.sentAt + window - model.now) / oneSecond
    return { status: 429, ...(retryAfter === 'on' && { retryAfter: wait }) }
  }
  user.codes.push({ sentAt: model.now, wrongGuesses: 0, used: false })
  if (bounces(user)) model.bounces.push({ user, at: model.now + 2 * oneSecond })
  return { status: 204 }
}

/** ASSUMED: addresses ending in .invalid. */
export const bounces = (user: ModelUser) => user.email.toLowerCase().endsWith('.invalid')

/**
 * A code counts once, and until it expires (§4.1, §7). ASSUMED: too many wrong guesses end it, and by an option a newer code
 * does.
 */
export function exchangeCodeInModel(
  model: Model,
  user: ModelUser | undefined,
  given: ModelCode | undefined,
): ExpectedOutcome {
  if (!user) return { status: 404 }
  const { codeMinutes, codeGuesses, olderCodes } = model.settings
  const live = (olderCodes === 'valid' ? user.codes : user.codes.slice(-1)).filter(
    ({ sentAt, wrongGuesses, used }) =>
      !used && wrongGuesses < codeGuesses && model.now < sentAt + codeMinutes * oneMinute,
  )
  if (given && live.includes(given)) {
    given.used = true
    return openSession(model, user)
  }
  for (const code of live) code.wrongGuesses++
  return { status: 401 }
}

/** A message has its signer and its fields (§5.2). */
export interface ModelMessage {
  readonly domain: 'host' | 'host without port' | 'another'
  readonly uri: 'login' | 'another'
  readonly version: string
  readonly chainId: string
  readonly nonce: string
  readonly wallet: string
  readonly signer: string
  readonly issuedAt: number
  readonly expiresAt: number
}

/** §4.1, §5.2. ASSUMED: a client's clock may be 5 minutes ahead, and only a success uses up the nonce. */
export function signInWithWalletInModel(model: Model, message: ModelMessage): ExpectedOutcome {
  const longest = model.settings.longestMessageMinutes * oneMinute || Number.POSITIVE_INFINITY
  const holds =
    message.domain !== 'another' &&
    message.uri === 'login' &&
    message.version === '1' &&
    /^[1-9]\d*$/.test(message.chainId) &&
    !model.usedNonces.has(message.nonce) &&
    message.issuedAt <= model.now + 5 * oneMinute &&
    message.expiresAt > model.now &&
    message.expiresAt - message.issuedAt <= longest &&
    message.signer === message.wallet
  const user = model.users.find(({ wallet }) => wallet === message.signer)
  if (!holds || !user) return { status: 401 }
  model.usedNonces.add(message.nonce)
  return openSession(model, user)
}

export interface Credentials {
  readonly session: ModelSession | 'unknown' | undefined
  readonly user: ModelUser | 'unknown' | 'not a uuid' | undefined
}

/** The session or the user's uuid names the user (§5.1, §5.4). ASSUMED: together they must name the same user. */
export function readUserInModel(model: Model, { session, user }: Credentials): ExpectedOutcome {
  if (session === 'unknown' || (session && hasExpired(model, session))) return { status: 401 }
  if (user === 'not a uuid') return { status: 400 }
  if (session && user && user !== session.user) return { status: 401 }
  if (user === 'unknown') return { status: 404 }
  const reader = session?.user ?? user
  if (!reader) return { status: 401 }
  const { name, email, wallet = null } = reader
  return { status: 200, body: { uuid: name, email, target_address: wallet } }
}

/** The caller may read the user (§4.3, §5.1). */
export function shareTokenInModel(model: Model, credentials: Credentials): ExpectedOutcome {
  const { status } = readUserInModel(model, credentials)
  return { status }
}

function openSession(model: Model, user: ModelUser): ExpectedOutcome {
  const session = { name: `session ${model.sessions.length}`, user, openedAt: model.now }
  model.sessions.push(session)
  return { status: 200, body: { service_session_id: session.name, user_uuid: user.name } }
}

/** §5.4 defines this. */
const hasExpired = (model: Model, { openedAt }: ModelSession) =>
  model.now >= openedAt + model.settings.sessionMinutes * oneMinute
