import { createHash, timingSafeEqual } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import type { Sandbox } from '../sandbox.ts'
import { type Account, requireAccount } from '../service/accounts.ts'
import { findSessionUser } from '../service/sessions.ts'
import { badRequest, unauthorized } from './refusal.ts'

export type Caller = { Variables: { account: Account } }

/** §5.1: every call carries the raw API key, without a Bearer prefix. ASSUMED: 401 otherwise. */
export function requireApiKey(apiKey: string): MiddlewareHandler {
  const expected = digest(apiKey)
  return async (context, next) => {
    const given = context.req.header('authorization')
    if (!given || !timingSafeEqual(digest(given), expected))
      throw unauthorized('The API key is missing or wrong')
    await next()
  }
}

/** §5.1: a user-scoped read carries the session, or the user's uuid for server-to-server use. */
export const requireSessionOrUser =
  (sandbox: Sandbox): MiddlewareHandler<Caller> =>
  async (context, next) => {
    const session = context.req.header('service-session-id')
    const uuid = context.req.header('user-uuid')
    if (!session && !uuid) throw unauthorized('service-session-id or user-uuid is required')
    const sessionUser = session ? await findSessionUser(sandbox, session) : undefined
    if (session && !sessionUser) throw unauthorized('The session is invalid or has expired')
    if (uuid && !UUID.test(uuid)) throw badRequest('user-uuid: must be a uuid')
    // ASSUMED: with both headers they must name the same user.
    if (uuid && sessionUser && uuid.toLowerCase() !== sessionUser)
      throw unauthorized('The session is another user’s')
    context.set('account', await requireAccount(sandbox.pool, sessionUser ?? uuid ?? ''))
    await next()
  }

const digest = (text: string) => createHash('sha256').update(text).digest()

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
