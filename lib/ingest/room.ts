import 'server-only'

/** The memory that bodies may take while they are read and wait to be stored. */
export interface Room {
  /** Takes room for a body of `length` bytes, or of unknown length; null when there is none. Give it back by calling it. */
  take(length: number | null): (() => void) | null
}

/** Bytes. */
const whole = 128 * 1024 * 1024

/** A body of unknown length is taken for this long: notifications have a few kilobytes. */
const usual = 64 * 1024

export function openRoom(limit = whole): Room {
  let taken = 0
  return {
    take(length) {
      const size = length ?? usual
      if (taken + size > limit) return null
      taken += size
      return () => {
        taken -= size
      }
    },
  }
}
