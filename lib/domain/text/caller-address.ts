/** ASSUMED: at most one proxy stands in front; only the address that it appended can be trusted. */
export const callerAddress = (forwardedFor: string | null): string | null =>
  forwardedFor?.split(',').at(-1)?.trim().slice(0, 45) || null
