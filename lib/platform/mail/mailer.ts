import 'server-only'
import type pg from 'pg'
import { startSender } from '../db/claimed-queue.ts'
import type { Rounds } from '../db/concurrency.ts'
import { env } from '../env.ts'
import { causeOf, limitedLog } from '../log/limited.ts'
import { logOf } from '../log.ts'
import { claimDue, mailQueue } from './mail-queue.ts'
import { tryMail, type Writer } from './try-mail.ts'

const limited = limitedLog(logOf('mail'))

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
  return startSender({
    prepare: async () => {
      await queue()
      await mailQueue.settleLeft(pool)
    },
    claim: async (most) => (env().mail === null ? [] : claimDue(pool, most)),
    attempt: (mail, stopped) => tryMail(pool, mail, write, stopped),
    complain,
    every,
  })
}

const complain = (error: unknown) =>
  limited.warn(causeOf(error), { err: error }, 'Mails were not seen to; they are in the next round')
