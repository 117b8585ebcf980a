import { advanceTo, type ClockParts } from './advance.ts'
import { addSeconds } from './clock.ts'
import { createSerialQueue } from './serial-queue.ts'
import { setClock } from './set-clock.ts'

/** Changes the clock for whoever asks, one change at a time. */
export interface Timekeeper {
  /** Answers when the clock is there and everything that came due on the way was done. */
  advance(seconds: number): Promise<void>
  /** A moment ahead is reached as by `advance`. Set back, the clock makes whatever waits wait longer. */
  set(moment: Date): Promise<void>
  /** Stands still until it is resumed; meanwhile it can be advanced, set, and given another speed to go on with. */
  freeze(): Promise<void>
  resume(): Promise<void>
  setSpeed(factor: number): Promise<void>
  showRealTime(): Promise<void>
  /** Where the clock is being advanced to, while it is. */
  target(): Date | undefined
}

export function createTimekeeper(parts: ClockParts): Timekeeper {
  const runSerially = createSerialQueue()
  let target: Date | undefined

  async function goTo(moment: Date) {
    target = moment
    await advanceTo(parts, moment).finally(() => {
      target = undefined
    })
  }

  return {
    advance: (seconds) => runSerially(() => goTo(addSeconds(parts.clock.now(), seconds))),
    set: (moment) =>
      runSerially(() => (moment < parts.clock.now() ? setClock(parts, { now: moment }) : goTo(moment))),
    freeze: () => runSerially(() => setClock(parts, { frozen: true })),
    resume: () => runSerially(() => setClock(parts, { frozen: false })),
    setSpeed: (speed) => runSerially(() => setClock(parts, { speed })),
    showRealTime: () => runSerially(() => setClock(parts, { now: new Date(), speed: 1, frozen: false })),
    target: () => target,
  }
}
