/** An id short enough for a table, `2046967a…d1329` or `0x26D0…8932`; one of up to 15 characters stays whole. */
export function shortId(id: string): string {
  if (id.length <= 15) return id
  return id.startsWith('0x') ? `${id.slice(0, 6)}…${id.slice(-4)}` : `${id.slice(0, 8)}…${id.slice(-5)}`
}
