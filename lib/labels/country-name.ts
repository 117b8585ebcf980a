/** The name of a country by its ISO 3166-1 code; what is no code is shown as it is. */
export function countryName(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? (new Intl.DisplayNames('en', { type: 'region' }).of(code) ?? code) : code
}
