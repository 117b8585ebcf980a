/** A part of an address as it was meant; one with a stray `%` is taken as it stands. */
export function decodePathPart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
