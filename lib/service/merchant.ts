import 'server-only'
import { z } from 'zod'
import type { ServiceClient } from './client.ts'
import { listOf, optionalTextSchema } from './wire.ts'

/**
 * The service describes the merchant here (§4.3). ASSUMED: at this path; the contract names `GET /merchant/*`
 * without a shape, so the answer is shown as it comes.
 */
export function getMerchantConfiguration(service: ServiceClient): Promise<unknown> {
  return service.request({ method: 'GET', path: '/merchant/configuration' }, z.unknown())
}

interface SupportedCountry {
  /** The service writes the code in upper case, normally ISO 3166-1 alpha-2. */
  readonly code: string
  readonly name: string | null
  /** Private persons can be users when true; null when the service does not say. */
  readonly individuals: boolean | null
}

/** Users of the service may come from these countries (§4.3). The call needs only the API key (§5.1). */
export function listSupportedCountries(service: ServiceClient): Promise<SupportedCountry[]> {
  return service.request({ method: 'GET', path: '/supported/countries' }, listOf(CountrySchema))
}

// ASSUMED: `country_code` and `is_individual_supported` as documented in public, `code` and `name` beside them,
// or a bare code; the contract shows no shape.
const CountrySchema = z.union([
  z
    .string()
    .min(1)
    .transform((code) => ({ code: code.toUpperCase(), name: null, individuals: null })),
  z
    .object({
      country_code: optionalTextSchema,
      code: optionalTextSchema,
      country_name: optionalTextSchema,
      name: optionalTextSchema,
      is_individual_supported: z.boolean().nullish().catch(null),
    })
    .transform((wire, context) => {
      const code = wire.country_code ?? wire.code
      if (code === null) {
        context.addIssue({ code: 'custom', path: ['country_code'] })
        return z.NEVER
      }
      return {
        code: code.toUpperCase(),
        name: wire.country_name ?? wire.name,
        individuals: wire.is_individual_supported ?? null,
      }
    }),
])
