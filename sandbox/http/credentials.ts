import { createHash, timingSafeEqual } from 'node:crypto'
import { z } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'
import { type Account, requireAccount } from '../service/accounts.ts'
import { badRequest, unauthorized } from '../service/refusal.ts'
import { findSessionUser, sayWhatSession } from '../service/sessions.ts'
import type { Sandbox } from '../state/sandbox.ts'

export interface CallerVariables {
  readonly Variables: { readonly account: Account }
}

/** Every call carries the raw API key, without a Bearer prefix (§5.1). ASSUMED: 401 otherwise. */
export function requireApiKey(apiKey: string): MiddlewareHandler {
  const expected = digest(apiKey)
  return async (context, next) => {
    const given = context.req.header('authorization')
    if (!given || !timingSafeEqual(digest(given), expected))
      throw unauthorized('The API key is missing or wrong', {
        where: 'header Authorization',
        rule: keyRule(given),
      })
    await next()
  }
}

/**
 * A control call needs no key. A call with a wrong key is refused, so that it does not act on a namespace that its caller
 * did not mean.
 */
export function requireOwnKey(apiKey: string): MiddlewareHandler {
  return async (context, next) => {
    const given = context.req.header('authorization')
    if (given !== undefined && given !== apiKey)
      throw unauthorized('No namespace has this API key', {
        where: 'header Authorization',
        rule: 'must be the key of a namespace, or be left out for the sandbox itself',
      })
    await next()
  }
}

function keyRule(given: string | undefined) {
  if (!given) return 'must be the API key; it is missing'
  if (/^(Bearer|Basic|API-Key)\s/i.test(given))
    return 'must be the API key alone, without a word before it (§5.1)'
  return 'must be the API key; it is another text'
}

/** The headers belong to user-scoped calls. ASSUMED: when both are given, they must name the same user. */
export const UserHeadersSchema = z.object({
  'service-session-id': z
    .string()
    .optional()
    .openapi({ example: 'Qm3kZ0r9YtB6wXn2LpVc8HsDf4JgAe7u' })
    .describe('The session that a login answered (§5.1). Required unless user-uuid is sent.'),
  'user-uuid': z
    .uuid()
    .optional()
    .describe('The user, for server-to-server use (§5.1). Required unless service-session-id is sent.'),
})

/** A user-scoped read carries the session, or the user's uuid for server-to-server use (§5.1). */
export const requireSessionOrUser =
  (sandbox: Sandbox): MiddlewareHandler<CallerVariables> =>
  async (context, next) => {
    const { 'service-session-id': session, 'user-uuid': uuid } = context.req.header()
    if (!session && !uuid)
      throw unauthorized('service-session-id or user-uuid is required', {
        where: 'header service-session-id',
        rule: 'must be sent, or user-uuid instead',
      })
    const sessionUser = session ? await findSessionUser(sandbox, session) : undefined
    if (session && !sessionUser)
      throw unauthorized('The session is invalid or has expired', {
        where: 'header service-session-id',
        rule: await sayWhatSession(sandbox, session),
      })
    if (uuid && !UserHeadersSchema.shape['user-uuid'].safeParse(uuid).success)
      throw badRequest('user-uuid: must be a uuid', { where: 'header user-uuid', rule: 'must be a uuid' })
    if (uuid && sessionUser && uuid.toLowerCase() !== sessionUser)
      throw unauthorized('The session is another user’s', {
        where: 'header user-uuid',
        rule: 'must be the user of the session, where both are sent',
      })
    context.set('account', await requireAccount(sandbox.pool, sessionUser ?? uuid ?? ''))
    await next()
  }

/**
 * The document names the credentials of §5.1 that all calls share. A user's own are header parameters, because generated
 * clients keep one key for all schemes of this kind and would send the merchant's in each header.
 */
export const securitySchemes = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'The merchant’s raw API key, without a Bearer prefix (§5.1).',
  },
  webhookSecret: {
    type: 'http',
    scheme: 'API-Key',
    description:
      'Of a delivery, the endpoint’s signing_secret: `Authorization: API-Key <WEBHOOK_SECRET>` (§5.5).',
  },
} as const

const digest = (text: string) => createHash('sha256').update(text).digest()
