import 'server-only'

/** The address to open. Its token stands behind `#`, which browsers send to nobody: no log and no proxy learns it. */
export const linkAddress = (publicUrl: URL, token: string): string =>
  `${new URL('/set-up', publicUrl).href}#${token}`
