import type { JsonObject } from './json.ts'

/**
 * A string field, or null when it is missing, empty or no string. Made fit for a text column and an index: NUL and
 * lone surrogates become U+FFFD, and beyond 500 characters it is cut with `…`.
 */
export function textField(object: JsonObject | null, name: string): string | null {
  const value = object?.get(name)
  if (typeof value !== 'string' || value === '') return null
  const storable = value.replaceAll('\u0000', '\ufffd')
  return (storable.length > 500 ? `${storable.slice(0, 500)}…` : storable).toWellFormed()
}
