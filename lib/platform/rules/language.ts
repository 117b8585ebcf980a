/** Customers can use these languages. The first one is for staff, and for customers with any other language. */
export const languages = ['en', 'de', 'es', 'fr', 'pt'] as const
export type Language = (typeof languages)[number]

/** Each language has its own name for itself. */
export const languageNames = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
  pt: 'Português',
} as const satisfies Record<Language, string>

/** Numbers, amounts and times have the form of this locale. `pt` alone is Brazil's, and our Portuguese is Portugal's. */
export const localeOf = (language: string): string => (language === 'pt' ? 'pt-PT' : language)

/** The cookie keeps a customer's choice. The server's pages read it, and the switch writes it. */
export const languageCookie = 'language'

/** The language is that of a text such as `de` or `de-AT`; null for any other. */
export function parseLanguage(text: string | null | undefined): Language | null {
  const primary = text?.split('-')[0]?.trim().toLowerCase()
  return languages.find((language) => language === primary) ?? null
}

/** `wantedLanguage` chooses the language that a browser prefers, by its `Accept-Language` (RFC 9110 §12.5.4). */
export function wantedLanguage(acceptLanguage: string | null): Language {
  const wishes = (acceptLanguage ?? '').split(',').flatMap((wish) => {
    const [range, ...parameters] = wish.split(';')
    const language = parseLanguage(range)
    const weight = Number(
      parameters
        .find((one) => one.trim().startsWith('q='))
        ?.trim()
        .slice(2) ?? 1,
    )
    return language !== null && weight > 0 ? [{ language, weight }] : []
  })
  return wishes.toSorted((one, other) => other.weight - one.weight)[0]?.language ?? languages[0]
}

/**
 * The language is the one of ours that most people of a country speak (ISO 3166-1, CLDR’s likely subtags); null for any
 * other.
 */
export const languageOfCountry = (country: string | null): Language | null =>
  country !== null && /^[A-Z]{2}$/i.test(country)
    ? parseLanguage(new Intl.Locale(`und-${country}`).maximize().language)
    : null
