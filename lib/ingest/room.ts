import 'server-only'

/** The memory that bodies take while they are read and wait to be stored. */
export interface Room {
  /** A place for one body, empty as yet. */
  enter(): Place
}

export interface Place {
  /** Takes room for so many bytes more; false when there is none. */
  take(bytes: number): boolean
  /** Gives back all that was taken. */
  leave(): void
}

/** Bytes. */
const whole = 128 * 1024 * 1024

export function openRoom(limit = whole): Room {
  let taken = 0
  return {
    enter() {
      let mine = 0
      return {
        take(bytes) {
          if (taken + bytes > limit) return false
          taken += bytes
          mine += bytes
          return true
        },
        leave() {
          taken -= mine
          mine = 0
        },
      }
    },
  }
}
