import { type Child, type ChildOptions, startChild } from './child.ts'

/** Milliseconds without a sign of life after which a process is ended and started again. */
const silenceMs = 30_000

/**
 * Milliseconds before a process that ended is restarted: doubled each time, reset when it has run for a
 * while.
 */
const minPauseMs = 500
const maxPauseMs = 30_000

/**
 * Runs one of our processes, and starts it again whenever it ends or falls silent: what the service could not deliver meanwhile
 * it sends again, and what was stored waits to be folded. Throws when the first start fails.
 */
export async function keepProcess(
  name: string,
  file: string,
  options: ChildOptions,
): Promise<{ restart(): Promise<void>; stop(): Promise<void> }> {
  const launch = () => startChild(name, file, { silence: silenceMs, ...options })
  let stopping = false
  let child = await launch()
  let pause = minPauseMs
  let waiting: NodeJS.Timeout | undefined
  let starting: Promise<void> | undefined

  function guard(one: Child) {
    const began = Date.now()
    void one.gone.then((how) => {
      if (stopping || one !== child) return
      pause = Date.now() - began > maxPauseMs ? minPauseMs : Math.min(maxPauseMs, pause * 2)
      console.error(`The ${name} ended (${how}) and is started again; logs/${name}.log says why.`)
      waiting = setTimeout(revive, pause)
    })
  }

  function revive() {
    starting = launch()
      .then((next) => {
        child = next
        guard(next)
      })
      .catch((error: unknown) => {
        if (stopping) return
        console.error(error instanceof Error ? error.message : error)
        pause = Math.min(maxPauseMs, pause * 2)
        waiting = setTimeout(revive, pause)
      })
  }

  guard(child)
  return {
    /** For a change of the source while developing. */
    async restart() {
      const last = child
      child = { ...last }
      await last.stop()
      revive()
      await starting
    },
    async stop() {
      stopping = true
      clearTimeout(waiting)
      await starting
      await child.stop()
    },
  }
}
