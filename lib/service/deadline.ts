import 'server-only'

/** One clock for a whole call: connection, headers, body, and the repeat if there is one. */
export interface Deadline {
  /** Aborts when the time is over. */
  readonly signal: AbortSignal
  /** Waits; false when the deadline ended first. */
  wait(milliseconds: number): Promise<boolean>
  /** Frees the timer. */
  release(): void
}

/** Starts the clock, which ends after `timeoutMs` milliseconds. */
export function startDeadline(timeoutMs: number): Deadline {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), timeoutMs)
  return {
    signal: controller.signal,
    wait: (milliseconds) => waitMs(milliseconds, controller.signal),
    release: () => clearTimeout(timer),
  }
}

function waitMs(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(false)
    const finish = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', finish)
      resolve(!signal.aborted)
    }
    const timer = setTimeout(finish, milliseconds)
    signal.addEventListener('abort', finish)
  })
}
