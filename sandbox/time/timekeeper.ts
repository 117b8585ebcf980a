import { addSeconds } from '../clock.ts'
import type { Sandbox } from '../sandbox.ts'
import { advanceTo } from './advance.ts'
import { setClock } from './set-clock.ts'
import { createTurns } from './turns.ts'

/** Changes the clock for whoever asks, one change at a time. */
export type Timekeeper = {
  /** Answers when the clock is there and everything that came due on the way was done. */
  advance(sandbox: Sandbox, seconds: number): Promise<void>
  setSpeed(sandbox: Sandbox, factor: number): Promise<void>
  showRealTime(sandbox: Sandbox): Promise<void>
  /** Where the clock is being advanced to, while it is. */
  target(): Date | undefined
}

export function createTimekeeper(): Timekeeper {
  const inTurn = createTurns()
  let target: Date | undefined
  return {
    advance: (sandbox, seconds) =>
      inTurn(async () => {
        target = addSeconds(sandbox.clock.now(), seconds)
        await advanceTo(sandbox, target).finally(() => {
          target = undefined
        })
      }),
    setSpeed: (sandbox, speed) => inTurn(() => setClock(sandbox, { speed })),
    showRealTime: (sandbox) => inTurn(() => setClock(sandbox, { now: new Date(), speed: 1 })),
    target: () => target,
  }
}
