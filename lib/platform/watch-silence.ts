import 'server-only'

/** `watchSilence` looks at another process, which tells this one now and then that it lives. */
export interface SilenceWatch {
  /** The process has just told something. */
  hear(): void
  /** The process has told nothing for so many milliseconds. */
  silentMs(): number
  stop(): void
}

/**
 * `end` is called, and called again, while the process has told nothing for longer than `limitMs` says. Time in which this
 * process stood still itself does not count, because what it was told meanwhile is read only after the check.
 * @param checkedMs milliseconds between two checks
 */
export function watchSilence(checkedMs: number, limitMs: () => number, end: () => void): SilenceWatch {
  let heardAt = performance.now()
  let checkedAt = heardAt
  const timer = setInterval(() => {
    const now = performance.now()
    if (now - checkedAt > 2 * checkedMs) heardAt = now
    checkedAt = now
    if (now - heardAt > limitMs()) end()
  }, checkedMs)
  timer.unref()
  return {
    hear: () => {
      heardAt = performance.now()
    },
    silentMs: () => performance.now() - heardAt,
    stop: () => clearInterval(timer),
  }
}
