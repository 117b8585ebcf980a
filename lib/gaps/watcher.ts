import 'server-only'
import crypto from 'node:crypto'
import type pg from 'pg'
import { endWatch, watchRound } from './watch-round.ts'

/** Looks every minute whether deliveries may be missing. */
export interface Watcher {
  /** Ends after the round under way. */
  stop(): Promise<void>
}

/** Starts the watcher of this process; of all processes one does the work. `every` in ms. */
export function startWatcher(pool: pg.Pool, every = 60_000): Watcher {
  const holder = crypto.randomUUID()
  const round = () =>
    watchRound(pool, holder).then(
      () => undefined,
      (error: unknown) =>
        console.error(`The watcher was interrupted: ${error instanceof Error ? error.message : error}`),
    )
  let going = round()
  const timer = setInterval(() => {
    going = going.then(round)
  }, every)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      await going
      await endWatch(pool, holder).catch(() => undefined)
    },
  }
}
