import { createRoute, z } from '@hono/zod-openapi'
import type { Sandbox } from '../sandbox.ts'
import { sendOneTimePassword, signInWithCode } from '../service/one-time-password.ts'
import { signInWithWallet } from '../service/sign-in-with-wallet.ts'
import { answers, refuses, takes } from './shapes.ts'
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

  router.openapi(exchange, async (context) => {
    const { user_uuid, one_time_password } = context.req.valid('json')
    return context.json(await signInWithCode(sandbox, user_uuid, one_time_password), 200)
  })

  return router
}

const SessionBody = z.object({ service_session_id: z.string(), user_uuid: z.uuid() })

/** The body chooses the branch; a body that fits neither, or both, is refused. */
const LoginBody = z.union(
  [
    z.strictObject({ message: z.string().min(1).max(10_000), signature: z.string().min(1).max(10_000) }),
    z.strictObject({ user_uuid: z.uuid() }),
  ],
  { error: 'send either message and signature, or user_uuid only' },
)

const login = createRoute({
  method: 'post',
  path: '/auth/login',
  request: takes(LoginBody),
  responses: {
    200: answers('Signed in with a wallet', SessionBody),
    204: { description: 'A one-time password was sent' },
    ...refuses(400, 401, 404, 429),
  },
})

const exchange = createRoute({
  method: 'post',
  path: '/auth/otp',
  request: takes(z.object({ user_uuid: z.uuid(), one_time_password: z.string().min(1).max(64) })),
  responses: { 200: answers('Signed in with a code', SessionBody), ...refuses(400, 401, 404) },
})
