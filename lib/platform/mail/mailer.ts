import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { type Rounds, startRounds } from '../db/concurrency.ts'
import { env } from '../env.ts'
import { causeOf, limitedLog } from '../log/limited.ts'
import { logOf } from '../log.ts'
import { claimDue, settleLeft } from './mail-queue.ts'
import { tryMail, type Writer } from './try-mail.ts'

const limited = limitedLog(logOf('mail'))

/**
 * So many mails are in progress at once. A slow one delays few others, and a mail server with a connection limit accepts
 * them.
 */
const places = 5

/** A stop waits this many milliseconds for the answer to a mail that was handed over. */
const mostForStop = 3_000

/**
 * `startMailer` sends waiting mails every `every` milliseconds and whenever it is requested. `queue` runs first in each
 * round.
 */
export function startMailer(
  pool: pg.Pool,
  write: Writer,
  queue: () => Promise<unknown>,
  every = 15_000,
): Rounds {
  const stopping = new AbortController()
  const underWay = new Set<Promise<unknown>>()

  async function round() {
    if (stopping.signal.aborted) return
    try {
      await queue()
      await settleLeft(pool)
      if (env().mail === null) return
      for (const mail of await claimDue(pool, places - underWay.size)) {
        const trying = tryMail(pool, mail, write, stopping.signal)
          .catch(complain)
          .finally(() => {
            underWay.delete(trying)
            rounds.request()
          })
        underWay.add(trying)
      }
    } catch (error) {
      complain(error)
    }
  }

  const rounds = startRounds(round, every)
  return {
    request: rounds.request,
    async stop() {
      stopping.abort()
      await rounds.stop()
      await Promise.race([Promise.all(underWay), sleep(mostForStop, undefined, { ref: false })])
    },
  }
}

const complain = (error: unknown) =>
  limited.warn(causeOf(error), { err: error }, 'Mails were not seen to; they are in the next round')
