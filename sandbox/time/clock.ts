/** What the sandbox's clock shows at one moment of the machine's, and how fast it runs from there on. */
export interface ClockReading {
  readonly sandboxAt: Date
  readonly realAt: Date
  /** Sandbox seconds per real second, above 0; while the clock is frozen, those that it goes on with. */
  readonly speed: number
  readonly frozen: boolean
}

/**
 * The one clock for everything in the sandbox that expires or waits. It runs relative to the machine's clock
 * from the last reading, which is also stored in the database, where `real_time_of` computes when to wake the
 * queue. A frozen clock stays at that reading.
 */
export interface Clock {
  /** The sandbox's time, in whole milliseconds. */
  now(): Date
  /** What this clock shows when the machine's shows `real`. */
  at(real: Date): Date
  readonly speed: number
  readonly frozen: boolean
  /** Runs from `reading` on. Only `setClock` may call it. */
  follow(reading: ClockReading): void
}

export function createClock(first: ClockReading): Clock {
  let reading = first
  const at = (real: Date) => {
    const passed = reading.frozen ? 0 : (real.getTime() - reading.realAt.getTime()) * reading.speed
    // Adds a tiny amount so that rounding (2.9999999) does not drop a millisecond.
    return new Date(reading.sandboxAt.getTime() + Math.floor(passed + 1e-6))
  }
  return {
    now: () => at(new Date()),
    at,
    get speed() {
      return reading.speed
    },
    get frozen() {
      return reading.frozen
    },
    follow(next) {
      reading = next
    },
  }
}

export const addSeconds = (moment: Date, seconds: number) => new Date(moment.getTime() + seconds * 1000)
