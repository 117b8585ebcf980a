import type { AddressQuery } from '#components/ui/browser/use-address.ts'
import { ownValue } from '#lib/platform/rules/names.ts'

/** The address of a page or a route has the search in its query; empty values are left out. */
export function addressOf(path: string, search: Search): string {
  const query = new URLSearchParams(setIn(search)).toString()
  return query === '' ? path : `${path}?${query}`
}

type Search = Readonly<Record<string, string | null | undefined>>

/** The search is returned without its empty values. */
const setIn = (search: Search): Record<string, string> =>
  Object.fromEntries(Object.entries(search).flatMap(([name, value]) => (value ? [[name, value]] : [])))

/** Next gives a page the query of its address in this form. */
export type GivenQuery = Readonly<Record<string, string | string[] | undefined>>

/** The query is for code that reads it in the browser. The first of several values with one name counts. */
export const queryOf = (given: GivenQuery): AddressQuery => ({
  get: (name) => [ownValue(given, name)].flat()[0] ?? null,
})

/** A filter of an address is a text of at most 100 characters; a longer one counts as missing. */
export function shortText(query: AddressQuery, name: string): string | null {
  const text = query.get(name)
  return text !== null && text !== '' && text.length <= 100 ? text : null
}
