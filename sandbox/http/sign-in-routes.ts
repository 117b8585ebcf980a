import { createRoute, z } from '@hono/zod-openapi'
import { exchangeOneTimePassword, sendOneTimePassword } from '../one-time-password/one-time-password.ts'
import { signInWithWallet } from '../service/sign-in-with-wallet.ts'
import type { Sandbox } from '../state/sandbox.ts'
import { apiKeyOnly } from './credentials.ts'
import { jsonAnswer, jsonBody, refusalAnswers } from './shapes.ts'
import { createRouter } from './validation.ts'

/** §4.1 */
export function signInRoutes(sandbox: Sandbox) {
  const router = createRouter()

  router.openapi(login, async (context) => {
    const body = context.req.valid('json')
    if ('message' in body)
      return context.json(await signInWithWallet(sandbox, body.message, body.signature), 200)
    await sendOneTimePassword(sandbox, body.user_uuid)
    return context.body(null, 204)
  })

  // Answers both spellings of its path. The document has the contract's own, with its slash at the end (§4.1).
  router.openAPIRegistry.registerPath({ ...exchange, path: '/auth/otp/' })
  router.openapi({ ...exchange, hide: true }, async (context) => {
    const { user_uuid, one_time_password } = context.req.valid('json')
    return context.json(await exchangeOneTimePassword(sandbox, user_uuid, one_time_password), 200)
  })

  return router
}

const SessionBodySchema = z
  .object({
    service_session_id: z
      .string()
      .openapi({ example: 'Qm3kZ0r9…' })
      .describe('Opaque, to be sent in service-session-id (§2.2).'),
    user_uuid: z.uuid(),
  })
  .openapi('Session', {
    description: '§2.2. A session expires after a while; a new login gives a new one (§5.4).',
  })

/** The body chooses the branch; a body that fits neither, or both, is refused. */
const LoginBodySchema = z.union(
  [
    z
      .strictObject({
        message: z
          .string()
          .min(1)
          .max(10_000)
          .openapi({ example: 'localhost:4010 wants you to sign in with your Ethereum account:\n0x…' })
          .describe('The exact EIP-4361 message that was signed, its fields as §5.2 says.'),
        signature: z
          .string()
          .min(1)
          .max(10_000)
          .openapi({ example: '0x…' })
          .describe(
            'The wallet’s signature over it. ASSUMED: 65 bytes in lower-case hexadecimal digits after 0x, v 27 or 28, s in the lower half.',
          ),
      })
      .openapi({ title: 'wallet signature' }),
    z.strictObject({ user_uuid: z.uuid() }).openapi({ title: 'one-time password' }),
  ],
  { error: 'send either message and signature, or user_uuid only' },
)

const login = createRoute({
  method: 'post',
  path: '/auth/login',
  operationId: 'login',
  tags: ['Signing in'],
  summary: 'Sign in with a wallet, or ask for a one-time password',
  description:
    '§4.1. With message and signature: the address that signed must be the user’s target_address, and a nonce serves once. With user_uuid only: a new code leaves by e-mail on every call, and the answer is 204 without a body.',
  security: apiKeyOnly,
  request: jsonBody(LoginBodySchema),
  responses: {
    200: jsonAnswer('Signed in with a wallet', SessionBodySchema),
    204: { description: 'A one-time password was sent' },
    ...refusalAnswers(404, 429),
  },
})

const exchange = createRoute({
  method: 'post',
  path: '/auth/otp',
  operationId: 'exchangeOneTimePassword',
  tags: ['Signing in'],
  summary: 'Sign in with a one-time password',
  description:
    '§4.1, §5.3. A code serves once, and only for a while. ASSUMED: the path may be written without its last slash.',
  security: apiKeyOnly,
  request: jsonBody(
    z.object({
      user_uuid: z.uuid(),
      one_time_password: z.string().min(1).max(64).openapi({ example: '123456' }),
    }),
  ),
  responses: { 200: jsonAnswer('Signed in with a code', SessionBodySchema), ...refusalAnswers(404) },
})
