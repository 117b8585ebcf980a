const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

/** The text looks like "3.4 kB", in powers of a thousand. It has no decimals from ten on. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1)
  const value = bytes / 1000 ** power
  const shown = value < 10 && power > 0 ? value.toFixed(1) : String(Math.round(value))
  return `${shown} ${units[power]}`
}
