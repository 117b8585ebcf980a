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
