import 'server-only'

/** One clock for a whole call: connection, headers, body, and the repeat if there is one. */
export type Deadline = {
  readonly signal: AbortSignal
  /** Why the time was over, or null while it is not. */
  endedBy(): 'timed-out' | 'cancelled' | null
  /** Waits; false when the deadline ended first. */
  pause(milliseconds: number): Promise<boolean>
  /** Frees the timer and the caller's signal. */
  release(): void
}

/** Starts the clock. It ends after `timeoutMs` milliseconds or when the caller's own signal aborts. */
export function startDeadline(timeoutMs: number, callerSignal: AbortSignal | undefined): Deadline {
  const controller = new AbortController()
  let ended: 'timed-out' | 'cancelled' | null = null
  const end = (why: 'timed-out' | 'cancelled') => {
    ended ??= why
    controller.abort()
  }
  const cancel = () => end('cancelled')
  const timer = setTimeout(() => end('timed-out'), timeoutMs)
  if (callerSignal?.aborted) cancel()
  callerSignal?.addEventListener('abort', cancel, { once: true })

  return {
    signal: controller.signal,
    endedBy: () => ended,
    pause: (milliseconds) => pause(milliseconds, controller.signal),
    release() {
      clearTimeout(timer)
      callerSignal?.removeEventListener('abort', cancel)
    },
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<boolean> {
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
