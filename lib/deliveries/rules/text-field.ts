import type { JsonObject } from './json.ts'

/**
 * `textField` reads a string; null when it is missing, empty or no string. The text fits a text column and an index: NUL and
 * lone surrogates become U+FFFD, and a text over 500 characters is cut and ends in `…`.
 */
export function textField(object: JsonObject | null, name: string): string | null {
  const value = object?.get(name)
  if (typeof value !== 'string' || value === '') return null
  const storable = value.replaceAll('\u0000', '\ufffd')
  return (storable.length > 500 ? `${storable.slice(0, 500)}…` : storable).toWellFormed()
}
