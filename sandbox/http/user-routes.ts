import { createRoute, z } from '@hono/zod-openapi'
import { checksumAddress } from 'viem'
import { listCompanies } from '../scenarios/account-scenarios.ts'
import { type Account, createAccount } from '../service/accounts.ts'
import { countries, merchantConfiguration } from '../service/countries.ts'
import { badRequest } from '../service/refusal.ts'
import type { Sandbox } from '../state/sandbox.ts'
import { type CallerVariables, requireSessionOrUser, UserHeadersSchema } from './credentials.ts'
import { createRouter, jsonAnswer, jsonBody, lineOfLength, refusalAnswers } from './shapes.ts'

export function userRoutes(sandbox: Sandbox) {
  const router = createRouter<CallerVariables>()

  router.openapi(create, async (context) => {
    const account = await createAccount(
      sandbox.pool,
      sandbox.ids,
      context.req.valid('json'),
      sandbox.clock.now(),
    )
    return context.json({ user_uuid: account.uuid, status: account.status }, 201)
  })

  router.get('/user', requireSessionOrUser(sandbox))
  router.openapi(read, async (context) => {
    const account = context.get('account')
    return context.json(userBody(account, await listCompanies(sandbox.pool, account)), 200)
  })

  router.post(shareToken, requireSessionOrUser(sandbox))
  router.openapi(share, async (context) => {
    const body = await context.req.text()
    if (body.trim() !== '' && !isJson(body)) throw badRequest('The body is not valid JSON')
    return context.json({ share_token: sandbox.ids.secret('share token') }, 200)
  })

  return router
}

const shareToken = '/user/kyc/applicant/share-token'

function isJson(text: string) {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The status is open-ended: a client must expect others. */
const StatusSchema = z.string().openapi({ example: 'CREATED' })

/** An address follows RFC 6531: letters of any script, quoted parts, and hosts by name or number. */
const mailbox =
  /^(?:[\p{L}\p{M}\p{N}\p{S}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}\p{S}!#$%&'*+/=?^_`{|}~-]+)*|"(?:[^"\\\p{Cc}]|\\\P{Cc})*")@(?:[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}.-]*[\p{L}\p{M}\p{N}])?\.[\p{L}\p{M}\p{N}-]{2,}|\[[\da-f.:]+\])$/iu

/** ASSUMED: every field but e-mail and target_address, and 201. */
export const NewUserSchema = z.object({
  email: z
    .string()
    .max(254)
    .refine((text) => mailbox.test(text), 'must be an e-mail address')
    .openapi({ format: 'email', example: 'someone@demo.test' })
    .describe('Where one-time passwords go (§2.1). One that ends in .invalid bounces.'),
  target_address: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hexadecimal digits')
    .transform((address) => checksumAddress(`0x${address.slice(2)}`))
    .nullish()
    .openapi({ example: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045' })
    .describe('The wallet that may sign in (§2.1).'),
  first_name: lineOfLength(100).openapi({ example: 'Ana' }),
  last_name: lineOfLength(100).openapi({ example: 'Ruiz' }),
  country: z
    .enum(countries.map((country) => country.country_code))
    .openapi({ example: 'ES' })
    .describe('One of the supported countries, ISO 3166-1 alpha-2.'),
  date_of_birth: z.iso.date().nullish(),
  phone: lineOfLength(32).nullish().openapi({ example: '+34 600 000 000' }),
})

const create = createRoute({
  method: 'post',
  path: '/user',
  operationId: 'createUser',
  tags: ['Users'],
  summary: 'Create a user',
  description:
    '§4.3. Required before any sign-in. ASSUMED: the fields beyond e-mail and target_address; each of these two is one user’s only.',
  request: jsonBody(NewUserSchema.openapi('CreateUserRequest')),
  responses: {
    201: jsonAnswer(
      'The user',
      z.object({ user_uuid: z.uuid(), status: StatusSchema }).openapi('CreatedUser'),
    ),
    ...refusalAnswers(409),
  },
})

const UserBodySchema = z
  .object({
    uuid: z.uuid(),
    email: z.string().openapi({ example: 'someone@demo.test' }),
    target_address: z.string().nullable().openapi({ example: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045' }),
    first_name: z.string().openapi({ example: 'Ana' }),
    last_name: z.string().openapi({ example: 'Ruiz' }),
    date_of_birth: z.iso.date().nullable(),
    address: z.object({ country: z.string().openapi({ example: 'ES' }) }).openapi('UserAddress'),
    linked_corporates_uuid: z.array(z.uuid()),
    status: StatusSchema,
  })
  .openapi('User', { description: '§2.1. ASSUMED: every field beyond e-mail and target_address.' })

const read = createRoute({
  method: 'get',
  path: '/user',
  operationId: 'getUser',
  tags: ['Users'],
  summary: 'Read the user',
  description: '§4.3.',
  request: { headers: UserHeadersSchema },
  responses: { 200: jsonAnswer('The user', UserBodySchema), ...refusalAnswers(404) },
})

const share = createRoute({
  method: 'post',
  path: shareToken,
  operationId: 'createShareToken',
  tags: ['Users'],
  summary: 'Make a token that shares the user’s verification',
  description: '§4.3, §5.1. ASSUMED: no body is needed, what one says is not looked at; the answer.',
  request: { headers: UserHeadersSchema },
  responses: {
    200: jsonAnswer(
      'The token',
      z
        .object({ share_token: z.string().openapi({ example: 'Vb71xQ2mZk0r9aPwTn4sYcE8dLfHuJ3g' }) })
        .openapi('ShareToken'),
    ),
    ...refusalAnswers(404),
  },
})

const userBody = (account: Account, companies: string[]) => ({
  uuid: account.uuid,
  email: account.email,
  target_address: account.target_address,
  first_name: account.first_name,
  last_name: account.last_name,
  date_of_birth: account.date_of_birth,
  address: { country: account.country },
  linked_corporates_uuid: companies,
  status: account.status,
})

/** Informational calls take the merchant's API key only (§4.3, §5.1). */
export function merchantRoutes({ options }: Sandbox) {
  const router = createRouter()
  router.openapi(supported, (context) => context.json(countries, 200))
  if (options.merchantConfiguration)
    router.openapi(configuration, (context) => context.json(merchantConfiguration, 200))
  return router
}

const supported = createRoute({
  method: 'get',
  path: '/supported/countries',
  operationId: 'listSupportedCountries',
  tags: ['Merchant'],
  summary: 'List the supported countries',
  description: '§4.3. ASSUMED: which they are, and the answer’s shape.',
  responses: {
    200: jsonAnswer(
      'The countries',
      z.array(
        z
          .object({
            country_code: z.string().openapi({ example: 'ES' }),
            country_name: z.string().openapi({ example: 'Spain' }),
            is_individual_supported: z.boolean(),
            is_corporate_supported: z.boolean(),
          })
          .openapi('Country'),
      ),
    ),
  },
})

const configuration = createRoute({
  method: 'get',
  path: '/merchant/configuration',
  operationId: 'getMerchantConfiguration',
  tags: ['Merchant'],
  summary: 'Read what the merchant may use',
  description: '§4.3 names GET /merchant/* only. ASSUMED: this path and its answer.',
  responses: {
    200: jsonAnswer(
      'The configuration',
      z
        .object({
          environment: z.string().openapi({ example: 'sandbox' }),
          fiat_currencies: z.array(z.string()).openapi({ example: ['EUR', 'GBP'] }),
          stablecoins: z.array(z.string()).openapi({ example: ['usdc'] }),
          chains: z.array(z.string()).openapi({ example: ['polygon', 'base'] }),
        })
        .openapi('MerchantConfiguration'),
    ),
  },
})
