/** `isLoopbackHost` is true for a host that is this machine itself. */
export const isLoopbackHost = (host: string): boolean =>
  /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host)

/**
 * `addressBlock` groups the addresses of one sender: an IPv4 address alone, and the first half of an IPv6 address, because
 * its owner has all addresses of the /64. Any other text stays unchanged.
 */
export function addressBlock(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped) return mapped
  const [plain = ''] = address.split('%')
  if (!/^[\da-f:.]*:[\da-f:.]*$/i.test(plain)) return address
  const [head = '', tail] = plain.split('::')
  const groups = groupsOf(head)
  const after = groupsOf(tail ?? '')
  // An IPv4 address at the end is two groups.
  const written = groups.length + after.length + (plain.includes('.') ? 1 : 0)
  if (tail !== undefined) groups.push(...Array<string>(Math.max(0, 8 - written)).fill('0'), ...after)
  const block = [0, 1, 2, 3].map((at) => Number.parseInt(groups[at] ?? '0', 16).toString(16))
  return `${block.join(':')}::/64`
}

const groupsOf = (text: string) => (text === '' ? [] : text.split(':'))

/**
 * `maskUrl` writes an address for the audit, notices and mail: its host, without the path, the query and the user, which may
 * be secret. An invalid address is left out.
 */
export function maskUrl(text: string): string {
  const url = URL.parse(text)
  if (url === null) return '…'
  const path = url.pathname === '/' || url.pathname === '' ? '' : '/…'
  return `${url.protocol}//${url.host}${path}${url.search === '' && url.hash === '' ? '' : '?…'}`
}
