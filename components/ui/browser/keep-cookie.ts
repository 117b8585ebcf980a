/**
 * A choice of appearance is kept for a year in a cookie that the server reads for the next page. Nothing personal
 * belongs here.
 */
export function keepCookie(name: string, value: string): void {
  const [prefix, secure] = location.protocol === 'https:' ? ['__Host-', '; secure'] : ['', '']
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in browsers we support
  document.cookie = `${prefix}rampart.${name}=${encodeURIComponent(value)}; path=/; max-age=31536000; samesite=lax${secure}`
}
