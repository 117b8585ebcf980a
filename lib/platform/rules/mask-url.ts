/**
 * An address as the audit, notices and mail may name it: its host, without what may be a secret in its path, its query or before the
 * `@`. What is none at all is left out whole.
 */
export function maskUrl(text: string): string {
  const url = URL.parse(text)
  if (url === null) return '…'
  const path = url.pathname === '/' || url.pathname === '' ? '' : '/…'
  return `${url.protocol}//${url.host}${path}${url.search === '' && url.hash === '' ? '' : '?…'}`
}
