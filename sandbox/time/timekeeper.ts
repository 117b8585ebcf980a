import { advanceTo, type ClockParts } from './advance.ts'
import { addSeconds } from './clock.ts'
import { createSerialQueue } from './serial-queue.ts'
import { setClock } from './set-clock.ts'

/** Changes the clock for whoever asks, one change at a time. */
export interface Timekeeper {
  /** Answers when the clock is there and everything that came due on the way was done. */
  advance(seconds: number): Promise<void>
  setSpeed(factor: number): Promise<void>
  showRealTime(): Promise<void>
  /** Where the clock is being advanced to, while it is. */
  target(): Date | undefined
}

export function createTimekeeper(parts: ClockParts): Timekeeper {
  const runSerially = createSerialQueue()
  let target: Date | undefined
  return {
    advance: (seconds) =>
      runSerially(async () => {
        target = addSeconds(parts.clock.now(), seconds)
        await advanceTo(parts, target).finally(() => {
          target = undefined
        })
      }),
    setSpeed: (speed) => runSerially(() => setClock(parts, { speed })),
    showRealTime: () => runSerially(() => setClock(parts, { now: new Date(), speed: 1 })),
    target: () => target,
  }
}
