import 'server-only'
import type pg from 'pg'
import type { Listener } from '#lib/platform/db/listen.ts'
import type { ClaimedMail } from '#lib/platform/mail/mail-queue.ts'
import { startMailer } from '#lib/platform/mail/mailer.ts'
import { mailNotices, writeNotices } from './mail-notices.ts'
import { noticeChannel } from './tell-admins.ts'

/** Queues notices as they come, and sends what waits: notices, and other mails that were not sent at once. */
export interface NoticeMailer {
  /** Ends after the mails under way, or leaves them to the next process. */
  stop(): Promise<void>
}

/** Starts the mailer of this process; `every` in ms. */
export function startNoticeMailer(pool: pg.Pool, listener: Listener, every?: number): NoticeMailer {
  const write = (mail: ClaimedMail) => writeNotices(pool, mail)
  const rounds = startMailer(pool, write, () => mailNotices(pool), every)
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
