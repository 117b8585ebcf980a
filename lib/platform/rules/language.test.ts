import { expect, it } from 'vitest'
import { languageOfCountry, parseLanguage, wantedLanguage } from './language.ts'

it.each([
  ['de-AT,de;q=0.9,en;q=0.5', 'de'],
  ['en-GB', 'en'],
  ['nl,fr-CA;q=0.7,en;q=0.3', 'fr'],
  ['en;q=0.2, pt-BR;q=0.8', 'pt'],
  ['es;q=0,en', 'en'],
  ['ja, zh;q=0.5', 'en'],
  ['de;q=x', 'en'],
  ['*', 'en'],
  [',;q=,', 'en'],
  [null, 'en'],
])('of %s takes %s', (header, language) => expect(wantedLanguage(header)).toBe(language))

it('returns null for other names', () => {
  expect(parseLanguage('DE')).toBe('de')
  expect(parseLanguage('deutsch')).toBeNull()
  expect(parseLanguage('')).toBeNull()
  expect(parseLanguage(undefined)).toBeNull()
})

it.each([
  ['DE', 'de'],
  ['AT', 'de'],
  ['es', 'es'],
  ['MX', 'es'],
  ['FR', 'fr'],
  ['BR', 'pt'],
  ['GB', 'en'],
  ['NL', null],
  ['Spain', null],
  ['', null],
  [null, null],
])('of the country %s takes %s', (country, language) => expect(languageOfCountry(country)).toBe(language))
