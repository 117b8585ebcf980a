/**
 * A choice of appearance is kept for a year in a cookie that the server reads for the next page. Nothing personal
 * belongs here. The server names the cookie alike, in `session-cookie.ts`.
 */
export function keepCookie(name: string, value: string): void {
  const [prefix, secure] = location.protocol === 'https:' ? ['__Host-', '; secure'] : ['', '']
  const installation = location.port === '' ? 'rampart' : `rampart-${location.port}`
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in browsers we support
  document.cookie = `${prefix}${installation}.${name}=${encodeURIComponent(value)}; path=/; max-age=31536000; samesite=lax${secure}`
}
