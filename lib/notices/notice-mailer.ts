import 'server-only'
import type pg from 'pg'
import type { Listener } from '#lib/db/listen.ts'
import { startRounds } from '#lib/db/rounds.ts'
import { logOf } from '#lib/log.ts'
import { mailNotices } from './mail-notices.ts'
import { noticeChannel } from './tell-admins.ts'

const log = logOf('notices')

/** Mails notices as they come, and every minute what is left. */
export interface NoticeMailer {
  /** Ends after the mails under way. */
  stop(): Promise<void>
}

/** Starts the mailer of this process; `every` in ms. */
export function startNoticeMailer(pool: pg.Pool, listener: Listener, every = 60_000): NoticeMailer {
  const mail = () =>
    mailNotices(pool).catch((error: unknown) =>
      log.warn({ err: error }, 'Notices were not mailed; they are tried again in a minute'),
    )
  const rounds = startRounds(mail, every)
  const unsubscribe = listener.subscribe(noticeChannel, rounds.request)
  const forget = listener.onListening(rounds.request)
  return {
    async stop() {
      unsubscribe()
      forget()
      await rounds.stop()
    },
  }
}
