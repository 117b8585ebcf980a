/** `system` follows the device, the others overrule it. */
const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

/** The cookie keeps the choice. The server's layout reads it, the switch writes it. */
export const themeCookie = 'theme'

export const parseTheme = (text: string | undefined): Theme =>
  themes.find((theme) => theme === text) ?? 'system'
