/** The address of a page or a route with what is searched for in its query; what is empty is left out. */
export function addressOf(path: string, search: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams(
    Object.entries(search).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  ).toString()
  return query === '' ? path : `${path}?${query}`
}
