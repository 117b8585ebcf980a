import 'server-only'

/** ASSUMED: at most one proxy stands in front; what it appended is true, what came before it is anybody's claim. */
export const callerAddress = (forwardedFor: string | null): string | null =>
  forwardedFor?.split(',').at(-1)?.trim().slice(0, 45) || null
