import { createRoute, z } from '@hono/zod-openapi'
import { exchangeOneTimePassword, sendOneTimePassword } from '../one-time-password/one-time-password.ts'
import { signInWithWallet } from '../service/sign-in-message.ts'
import { UuidSchema } from '../state/ids.ts'
import type { Sandbox } from '../state/sandbox.ts'
import { createRouter, jsonAnswer, jsonBody, refusalAnswers } from './shapes.ts'

/** §4.1 defines this. */
export function signInRoutes(sandbox: Sandbox) {
  const router = createRouter()

  router.openapi(login, async (context) => {
    const body = context.req.valid('json')
    if ('message' in body)
      return context.json(await signInWithWallet(sandbox, body.message, body.signature), 200)
    await sendOneTimePassword(sandbox, body.user_uuid)
    return context.body(null, 204)
  })

  // The router answers both spellings of the path. The document has the contract's, with a slash at its end (§4.1).
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
      .openapi({ example: 'Qm3kZ0r9YtB6wXn2LpVc8HsDf4JgAe7u' })
      .describe('Opaque, to be sent in service-session-id (§2.2).'),
    user_uuid: z.uuid(),
  })
  .openapi('Session', {
    description: '§2.2. A session expires after a while; a new login gives a new one (§5.4).',
  })

const exampleMessage = `service.example wants you to sign in with your Ethereum account:
0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045

Sign in

URI: https://service.example/onboarding/auth/login
Version: 1
Chain ID: 137
Nonce: k7Qz0Lw3Xr9T
Issued At: 2026-11-20T12:00:00.000Z
Expiration Time: 2026-11-20T14:00:00.000Z`

/** The body selects the way to sign in. A body that fits neither, or both, is refused. */
const LoginSchema = z
  .union(
    [
      z
        .strictObject({
          message: z
            .string()
            .min(1)
            .max(10_000)
            .openapi({ example: exampleMessage })
            .describe('The exact EIP-4361 message that was signed, its fields as §5.2 says.'),
          signature: z
            .string()
            .min(1)
            .max(10_000)
            .openapi({ example: `0x${'4a5b6c7d'.repeat(16)}1b` })
            .describe(
              'The wallet’s signature over it. ASSUMED: 65 bytes in lower-case hexadecimal digits after 0x, v 27 or 28, s in the lower half.',
            ),
        })
        .openapi('WalletSignature'),
      z.strictObject({ user_uuid: UuidSchema }).openapi('OtpTrigger'),
    ],
    { error: 'send either message and signature, or user_uuid only' },
  )
  .openapi('Login', { description: '§4.1. The body chooses the branch.' })

const login = createRoute({
  method: 'post',
  path: '/auth/login',
  operationId: 'login',
  tags: ['Signing in'],
  summary: 'Sign in with a wallet, or ask for a one-time password',
  description:
    '§4.1. With message and signature: the address that signed must be the user’s target_address, and a nonce serves once. With user_uuid only: a new code leaves by e-mail on every call, and the answer is 204 without a body.',
  request: jsonBody(LoginSchema),
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
  request: jsonBody(
    z
      .object({
        user_uuid: UuidSchema,
        one_time_password: z.string().min(1).max(64).openapi({ example: '123456' }),
      })
      .openapi('OtpExchange'),
  ),
  responses: { 200: jsonAnswer('Signed in with a code', SessionBodySchema), ...refusalAnswers(404) },
})
