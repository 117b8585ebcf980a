/** The one clock for everything here that expires or waits. */
export type Clock = {
  /** The sandbox's time. */
  now(): Date
  /** The time on the machine's clock at which the sandbox's clock will show `moment`. */
  realTimeOf(moment: Date): Date
  /** Sandbox seconds per real second. */
  speed: number
}

export const realClock: Clock = {
  now: () => new Date(),
  realTimeOf: (moment) => moment,
  speed: 1,
}

export const addSeconds = (moment: Date, seconds: number) => new Date(moment.getTime() + seconds * 1000)
