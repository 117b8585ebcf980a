/** The name is that of a country by its ISO 3166-1 code, in this language. A text that is no code is returned unchanged. */
export function countryName(code: string, language = 'en'): string {
  return /^[A-Z]{2}$/.test(code)
    ? (new Intl.DisplayNames(language, { type: 'region' }).of(code) ?? code)
    : code
}
