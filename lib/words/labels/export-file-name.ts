/**
 * What the file of a list is called: what it holds, which of it, and when it was made, in characters that every system takes:
 * `transactions-on-hold-eur-20261122T1830Z`.
 * @param said what was filtered by; what is no text was not
 */
export function exportFileName(what: string, said: readonly unknown[], now: number): string {
  const made = `${new Date(now).toISOString().slice(0, 16).replace(/[-:]/g, '')}Z`
  const parts = said
    .filter((part) => typeof part === 'string')
    .map(plain)
    .filter((part) => part !== '')
  return [what, ...parts].join('-').slice(0, 120).replace(/-+$/, '').concat(`-${made}`)
}

const plain = (text: string) =>
  text
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/^-+|-+$/g, '')
