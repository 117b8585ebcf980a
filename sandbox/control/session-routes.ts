import { createRoute, z } from '@hono/zod-openapi'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { createRouter, jsonAnswer, jsonBody, refusalAnswers } from '../http/shapes.ts'
import { NewUserSchema } from '../http/user-routes.ts'
import { createAccount, requireAccount } from '../service/accounts.ts'
import { openServiceSession } from '../service/sessions.ts'
import { statementPattern, statementRule } from '../service/sign-in-message.ts'
import { UuidSchema } from '../state/ids.ts'
import type { Sandbox } from '../state/sandbox.ts'
import { addSeconds } from '../time/clock.ts'

/** One call signs a user in or signs with a wallet, for tests of what follows the sign-in. */
export function sessionRoutes(sandbox: Sandbox) {
  const { pool, clock, ids, options, publicUrl } = sandbox
  const router = createRouter()

  router.openapi(signIn, async (context) => {
    const { user_uuid, ...fields } = context.req.valid('json')
    const wallet = user_uuid || fields.target_address ? null : createWallet()
    const given = { ...fields, target_address: fields.target_address ?? wallet?.address }
    const account = user_uuid
      ? await requireAccount(pool, user_uuid)
      : await createAccount(pool, ids, newUser(given), clock.now())
    const { uuid, email, target_address } = account
    const session = await openServiceSession(sandbox, uuid)
    return context.json({ ...session, email, target_address, private_key: wallet?.privateKey ?? null }, 201)
  })

  router.openapi(signMessage, async (context) => {
    const { private_key, statement } = context.req.valid('json')
    const wallet = privateKeyToAccount(`0x${private_key.slice(2)}`)
    const message = composeMessage(wallet, statement)
    return context.json({ message, signature: await wallet.signMessage({ message }) }, 200)
  })

  return router

  function createWallet() {
    const privateKey = `0x${ids.bytes('wallet').toString('hex')}` as const
    return { privateKey, address: privateKeyToAccount(privateKey).address }
  }

  function newUser(fields: object) {
    const email = `user-${ids.uuid('address').slice(0, 8)}@demo.test`
    const given = Object.entries(fields).filter(([, value]) => !isLeftOut(value))
    const madeUp = { email, first_name: 'Test', last_name: 'User', country: 'ES' }
    return NewUserSchema.parse({ ...madeUp, ...Object.fromEntries(given) })
  }

  /** The text is written here, because viem takes no host without a dot, which a sandbox in a network of containers has. */
  function composeMessage({ address }: PrivateKeyAccount, statement: string | undefined) {
    const now = clock.now()
    const minutes = Math.min(messageMinutes, options.longestMessageMinutes || messageMinutes)
    return `${new URL(publicUrl).host} wants you to sign in with your Ethereum account:
${address}

${statement === undefined ? '' : `${statement}\n`}
URI: ${publicUrl}/auth/login
Version: 1
Chain ID: 1
Nonce: ${ids.bytes('nonce').toString('hex')}
Issued At: ${now.toISOString()}
Expiration Time: ${addSeconds(now, minutes * 60).toISOString()}`
  }
}

/** Generated clients send null for a field that was not given. */
const isLeftOut = (value: unknown) => value === undefined || value === null

/** §5.2 recommends 2 to 4 hours. */
const messageMinutes = 180

const signIn = createRoute({
  method: 'post',
  path: '/sessions',
  operationId: 'createSession',
  tags: ['State'],
  summary: 'Sign a user in',
  description:
    'A user that exists, or a new one with the fields that are given and made-up ones for the rest. A new user gets a wallet, unless its address is given.',
  request: jsonBody(
    NewUserSchema.partial()
      .extend({ user_uuid: UuidSchema.optional().describe('Who signs in; a new user otherwise.') })
      .strict()
      .refine(
        ({ user_uuid, ...fields }) => !user_uuid || Object.values(fields).every(isLeftOut),
        'give user_uuid alone, or the fields of a new user',
      )
      .openapi({ example: { country: 'PT' } }),
  ),
  responses: {
    201: jsonAnswer(
      'Signed in',
      z.object({
        service_session_id: z.string().openapi({ example: 'Qm3kZ0r9YtB6wXn2LpVc8HsDf4JgAe7u' }),
        user_uuid: z.uuid(),
        email: z.string().openapi({ example: 'someone@demo.test' }),
        target_address: z
          .string()
          .nullable()
          .openapi({ example: `0x${'1'.repeat(40)}` }),
        private_key: z
          .string()
          .nullable()
          .openapi({ example: `0x${'1'.repeat(64)}` })
          .describe('Of the wallet that was made; null where none was.'),
      }),
    ),
    ...refusalAnswers(404, 409),
  },
})

const signMessage = createRoute({
  method: 'post',
  path: '/sign-in-messages',
  operationId: 'signSignInMessage',
  tags: ['State'],
  summary: 'Sign a sign-in message',
  description: '§5.2. The answer is the body that POST /auth/login takes. For wallets made for tests alone.',
  request: jsonBody(
    z.strictObject({
      private_key: z
        .string()
        .regex(/^0x[0-9a-f]{64}$/, 'must be 0x and 64 hexadecimal digits in lower case')
        .refine(isPrivateKey, 'must be a number that is a private key')
        .openapi({ example: `0x${'1'.repeat(64)}` }),
      statement: z
        .string()
        .min(1)
        .max(1_000)
        // The document would show a regular expression that Python and Go cannot read.
        .refine((text) => statementPattern.test(text), statementRule)
        .openapi({ example: 'Sign in to the demo' })
        .optional(),
    }),
  ),
  responses: {
    200: jsonAnswer(
      'The message and its signature',
      z.object({
        message: z
          .string()
          .openapi({ example: 'dash.example.com wants you to sign in with your Ethereum account:' }),
        signature: z.string().openapi({ example: `0x${'1'.repeat(130)}` }),
      }),
    ),
  },
})

/** A private key is a number from 1 to below the order of the curve secp256k1. */
function isPrivateKey(text: string) {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  return /^0x[0-9a-f]{64}$/.test(text) && BigInt(text) > 0n && BigInt(text) < order
}
