/** Whether a host, as it stands in an address, is this machine itself. */
export const isLoopbackHost = (host: string): boolean =>
  /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host)

/**
 * What one sender is counted by: an IPv4 address itself, of an IPv6 address the first half, since whoever has one has all
 * the others of its /64. Anything that is no address stays as it is.
 */
export function addressBlock(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped) return mapped
  const [plain = ''] = address.split('%')
  if (!/^[\da-f:.]*:[\da-f:.]*$/i.test(plain)) return address
  const [head = '', tail] = plain.split('::')
  const groups = groupsOf(head)
  const after = groupsOf(tail ?? '')
  // An IPv4 address at the end stands for two groups.
  const written = groups.length + after.length + (plain.includes('.') ? 1 : 0)
  if (tail !== undefined) groups.push(...Array<string>(Math.max(0, 8 - written)).fill('0'), ...after)
  const block = [0, 1, 2, 3].map((at) => Number.parseInt(groups[at] ?? '0', 16).toString(16))
  return `${block.join(':')}::/64`
}

const groupsOf = (text: string) => (text === '' ? [] : text.split(':'))

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
