import 'server-only'
import type pg from 'pg'
import { endpointChannel } from '#lib/endpoints/endpoint-states.ts'
import { refusedKeyChannel } from '#lib/endpoints/service-key/service-fault.ts'
import { apiKeyChannel } from '#lib/endpoints/service-key/stored-api-key.ts'
import { endOldData } from '#lib/people/erasure/end-old-data.ts'
import { resumeErasures } from '#lib/people/erasure/erase-user.ts'
import { resumeImports } from '#lib/people/import/start-import.ts'
import { startRounds } from '#lib/platform/db/concurrency.ts'
import { listener } from '#lib/platform/db/listen.ts'
import { noting } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { learnUsualNext } from '#lib/transactions/usual-next.ts'
import { learnUsualStays } from '#lib/transactions/usual-stays.ts'
import { openRetentionSweeper } from '../retention/sweep.ts'
import { runWatchRound, watchJob } from './run-watch-round.ts'

const log = logOf('watcher')
const note = noting(log)

/**
 * The watcher checks every minute for missing deliveries, and at once when an endpoint was changed here or a call found
 * the API key refused.
 */
export interface Watcher {
  /** `stop` resolves after the current round. */
  stop(): Promise<void>
}

/** Starts the watcher of this process. One process does the work for all. `every` is in milliseconds. */
export function startWatcher(pool: pg.Pool, every = 60_000): Watcher {
  const job = watchJob()
  const sweeper = openRetentionSweeper(pool)
  const round = () =>
    runWatchRound(pool, job)
      .then((held) => {
        if (!held) return
        return Promise.all([
          sweeper.sweep(),
          resumeErasures(pool),
          resumeImports(pool),
          endOldData(pool),
          learnUsualStays(pool),
          learnUsualNext(pool),
        ])
      })
      .catch((error: unknown) => log.error({ err: error }, 'A round of the watcher was interrupted'))
  const rounds = startRounds(round, every)
  const unsubscribe = [
    listener().subscribe(endpointChannel, rounds.request),
    listener().subscribe(refusedKeyChannel, rounds.request),
    // The pause gives every process time to read the new key.
    listener().subscribe(apiKeyChannel, () => setTimeout(rounds.request, 500).unref()),
  ]
  return {
    async stop() {
      for (const end of unsubscribe) end()
      await rounds.stop()
      await job.release(pool).catch(note('warn', 'The lease of the watcher was not given back; it expires'))
    },
  }
}
