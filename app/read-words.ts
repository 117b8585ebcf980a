import { cache } from 'react'
import type { CountryChoices } from '#components/ui/form/country-field.tsx'
import { readLanguage } from '#lib/identity/sessions/read-request.ts'
import { listCountries } from '#lib/identity/sign-in/sign-up.ts'
import { readOwnSentences } from '#lib/operations/settings/sentences.ts'
import { env } from '#lib/platform/env.ts'
import { onRefusal, Refused } from '#lib/platform/refusals.ts'
import { type Language, languages } from '#lib/platform/rules/language.ts'
import type { CustomerWords } from '#lib/words/labels/customer-labels.ts'
import { countryName } from '#lib/words/labels/formats.ts'
import { wordRefusal } from '#lib/words/labels/refusals.ts'
import { customerWords } from '#lib/words/sentences.ts'

/** The words are in the caller's language, with the merchant's own sentences. */
export const readWords: () => Promise<CustomerWords> = cache(async () => {
  const [language, own] = await Promise.all([readLanguage(), readOwnSentences()])
  return customerWords(language, own[language])
})

/** Staff tell customers in these words, one catalogue for each language. */
export const readWordsOfAll: () => Promise<readonly [CustomerWords, ...CustomerWords[]]> = cache(async () => {
  const own = await readOwnSentences()
  const [first, ...others] = languages
  return [customerWords(first, own[first]), ...others.map((one) => customerWords(one, own[one]))]
})

/** Search engines and link previews show this sentence. */
export const whatItIs = 'The merchant’s own dashboard: paste a transaction and know what happened.'

/** The title of a page begins with the environment, so that tabs of two installations differ. */
export function titleOf(text: string): string {
  const { environment } = env()
  return environment === null ? text : `${environment.name} · ${text}`
}

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
