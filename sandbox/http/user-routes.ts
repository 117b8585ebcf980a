import { createRoute, z } from '@hono/zod-openapi'
import { checksumAddress } from 'viem'
import type { Sandbox } from '../sandbox.ts'
import { type Account, createAccount } from '../service/accounts.ts'
import { countries } from '../service/countries.ts'
import { type Caller, requireSessionOrUser } from './credentials.ts'
import { answers, refuses, Text, takes } from './shapes.ts'
import { createRouter } from './validation.ts'

/** §4.3: the users, and the countries they may come from. */
export function userRoutes(sandbox: Sandbox) {
  const router = createRouter<Caller>()

  router.openapi(create, async (context) => {
    const account = await createAccount(sandbox.pool, context.req.valid('json'), sandbox.clock.now())
    return context.json({ user_uuid: account.uuid, status: account.status }, 201)
  })

  router.use('/user', requireSessionOrUser(sandbox))
  router.openapi(read, (context) => context.json(userBody(context.get('account')), 200))

  router.openapi(supported, (context) => context.json(countries, 200))

  return router
}

/** ASSUMED: the fields beyond e-mail and target_address, and 201. */
export const NewUser = z.object({
  email: z.email().max(254),
  target_address: z
    .string()
    .regex(/^0x[0-9a-f]{40}$/i, 'must be 0x and 40 hexadecimal digits')
    .transform((address) => checksumAddress(`0x${address.slice(2)}`))
    .optional(),
  first_name: Text(100),
  last_name: Text(100),
  country: z.enum(countries.map((country) => country.country_code)),
  date_of_birth: z.iso.date().optional(),
  phone: Text(32).optional(),
})

const create = createRoute({
  method: 'post',
  path: '/user',
  request: takes(NewUser),
  responses: {
    201: answers('The user', z.object({ user_uuid: z.uuid(), status: z.string() })),
    ...refuses(400, 401, 409),
  },
})

const UserBody = z.object({
  uuid: z.uuid(),
  email: z.string(),
  target_address: z.string().nullable(),
  first_name: z.string(),
  last_name: z.string(),
  date_of_birth: z.string().nullable(),
  address: z.object({ country: z.string() }),
  linked_corporates_uuid: z.array(z.uuid()),
  status: z.string(),
})

const read = createRoute({
  method: 'get',
  path: '/user',
  responses: { 200: answers('The user', UserBody), ...refuses(400, 401, 404) },
})

const supported = createRoute({
  method: 'get',
  path: '/supported/countries',
  responses: {
    200: answers(
      'The countries',
      z.array(
        z.object({
          country_code: z.string(),
          country_name: z.string(),
          is_individual_supported: z.boolean(),
          is_corporate_supported: z.boolean(),
        }),
      ),
    ),
    ...refuses(401),
  },
})

const userBody = (account: Account) => ({
  uuid: account.uuid,
  email: account.email,
  target_address: account.target_address,
  first_name: account.first_name,
  last_name: account.last_name,
  date_of_birth: account.date_of_birth,
  address: { country: account.country },
  linked_corporates_uuid: [],
  status: account.status,
})
