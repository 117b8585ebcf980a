import type { AddressQuery } from '#components/ui/browser/use-address.ts'
import { ownValue } from '#lib/platform/rules/names.ts'

/** The address of a page or a route with what is searched for in its query; what is empty is left out. */
export function addressOf(path: string, search: Search): string {
  const query = new URLSearchParams(setIn(search)).toString()
  return query === '' ? path : `${path}?${query}`
}

type Search = Readonly<Record<string, string | null | undefined>>

/** What is searched for, without what is empty. */
export const setIn = (search: Search): Record<string, string> =>
  Object.fromEntries(Object.entries(search).flatMap(([name, value]) => (value ? [[name, value]] : [])))

/** The query of a page's address as Next gives it to the page. */
export type GivenQuery = Readonly<Record<string, string | string[] | undefined>>

/** The same for what reads it in the browser: of several texts of one name the first. */
export const queryOf = (given: GivenQuery): AddressQuery => ({
  get: (name) => [ownValue(given, name)].flat()[0] ?? null,
})
