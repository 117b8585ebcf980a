/**
 * Whether a part of the page that is loaded only later did not come: its script has gone with the version that the page is of,
 * or there is no network to bring it.
 */
export const isScriptGone = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ChunkLoadError'
