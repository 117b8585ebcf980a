/** The cookie that keeps the IANA zone in which a reader wants times. */
export const zoneCookie = 'zone'

/** The zone that a cookie names, or null when it names none that this server knows. */
export function parseZone(text: string | undefined): string | null {
  if (!text) return null
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone
  } catch {
    return null
  }
}
