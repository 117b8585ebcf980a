import type { CountryChoices } from '#components/form/country-field.tsx'
import { onRefusal, Refused } from '#lib/request/refusals.ts'
import { listCountries } from '#lib/sign-in/list-countries.ts'

/** The countries of a form, or why the service does not name them. */
export const readCountryChoices = (): Promise<CountryChoices> =>
  listCountries().then(
    (countries) => ({ kind: 'known', countries }),
    onRefusal(Refused, ({ title, next }) => ({ kind: 'unknown', title, next })),
  )
