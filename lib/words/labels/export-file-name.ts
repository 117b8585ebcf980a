/**
 * The file name of an exported list says what the list contains, how it is filtered and when it was made. Every system
 * accepts its characters: `transactions-on-hold-eur-20261122T1830Z`.
 * @param said the filters of the list; a filter that is no text is not set
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
