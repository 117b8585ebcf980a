/** `2046967a…d1329`, `0x371f…a7c5`: the head and tail of an id; short ones stay whole. */
export function shorten(id: string): string {
  const [head, tail] = id.startsWith('0x') ? [6, 4] : [8, 5]
  return id.length <= head + tail + 3 ? id : `${id.slice(0, head)}…${id.slice(-tail)}`
}
