import { JsonNumber, type JsonObject } from './json.ts'

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

/**
 * `writtenField` also reads a whole number, as its digits are written: account numbers, bank codes and ids of accounts come
 * as either. What names an event or its subject is a text alone, since stored events have their subject already.
 */
export function writtenField(object: JsonObject | null, name: string): string | null {
  const value = object?.get(name)
  if (!(value instanceof JsonNumber)) return textField(object, name)
  return /^\d{1,40}$/.test(value.digits) ? value.digits : null
}
