import { createRoute, z } from '@hono/zod-openapi'
import { countries, merchantConfiguration } from '../service/countries.ts'
import type { Sandbox } from '../state/sandbox.ts'
import { jsonAnswer } from './shapes.ts'
import { createRouter } from './validation.ts'

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
