/** The name of a country by its ISO 3166-1 code, in this language; what is no code is shown as it is. */
export function countryName(code: string, language = 'en'): string {
  return /^[A-Z]{2}$/.test(code)
    ? (new Intl.DisplayNames(language, { type: 'region' }).of(code) ?? code)
    : code
}
