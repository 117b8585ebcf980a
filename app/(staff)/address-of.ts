import type { AddressQuery } from '#components/browser/use-address.ts'

/** The address of a page or a route with what is searched for in its query; what is empty is left out. */
export function addressOf(path: string, search: Readonly<Record<string, string | null | undefined>>): string {
  const query = new URLSearchParams(
    Object.entries(search).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  ).toString()
  return query === '' ? path : `${path}?${query}`
}

/** The query of a page's address as Next gives it to the page. */
export type GivenQuery = Readonly<Record<string, string | string[] | undefined>>

/** The same for what reads it in the browser: of several texts of one name the first. */
export const queryOf = (given: GivenQuery): AddressQuery => ({
  get: (name) => [given[name]].flat()[0] ?? null,
})
