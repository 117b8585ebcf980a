import 'server-only'
import type { ServiceClient } from '#lib/service/client.ts'
import { refuseWithServiceMessage } from '#lib/service/error-messages.ts'
import { listSupportedCountries } from '#lib/service/operations.ts'
import { serviceClient } from '#lib/service/service-client.ts'

export interface Country {
  /** ISO 3166-1 alpha-2. */
  readonly code: string
  /** The name is in English. */
  readonly name: string
}

const known = new WeakMap<ServiceClient, { readonly countries: readonly Country[]; readonly until: number }>()

/**
 * Private persons can sign up from these countries, sorted by name; they are read from the service at most
 * every ten minutes. Throws `Refused`.
 */
export async function listCountries(): Promise<readonly Country[]> {
  const service = serviceClient()
  const kept = known.get(service)
  if (kept && kept.until > Date.now()) return kept.countries
  const supported = await listSupportedCountries(service).catch(
    refuseWithServiceMessage('list-supported-countries'),
  )
  const countries = supported
    .filter(({ code, individuals }) => /^[A-Z]{2}$/.test(code) && individuals !== false)
    .map(({ code, name }) => ({ code, name: name ?? english.of(code) ?? code }))
    .sort((one, other) => one.name.localeCompare(other.name, 'en'))
  known.set(service, { countries, until: Date.now() + 600_000 })
  return countries
}

const english = new Intl.DisplayNames('en', { type: 'region' })
