import type { CountryChoices } from '#components/ui/form/country-field.tsx'
import { listCountries } from '#lib/identity/sign-in/sign-up.ts'
import { onRefusal, Refused } from '#lib/platform/refusals.ts'
import type { Language } from '#lib/platform/rules/language.ts'
import { countryName } from '#lib/words/labels/formats.ts'
import { wordRefusal } from '#lib/words/labels/refusals.ts'

/** The countries of a form are named in this language, or a message says why the service does not name them. */
export const readCountryChoices = (language: Language = 'en'): Promise<CountryChoices> =>
  listCountries().then(
    (countries) => ({
      kind: 'known',
      countries: language === 'en' ? countries : namedIn(language, countries),
    }),
    onRefusal(Refused, (refusal) => ({ kind: 'unknown', ...wordRefusal(language, refusal) })),
  )

const namedIn = (language: Language, countries: readonly { readonly code: string }[]) =>
  countries
    .map(({ code }) => ({ code, name: countryName(code, language) }))
    .toSorted((one, other) => one.name.localeCompare(other.name, language))
