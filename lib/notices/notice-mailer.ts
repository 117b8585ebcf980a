import 'server-only'
import type pg from 'pg'
import type { Listener } from '#lib/db/listen.ts'
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
  let requested = false
  let underWay: Promise<unknown> = Promise.resolve()
  /** Requests while mails are under way are merged into one further round. */
  const request = () => {
    if (requested) return
    requested = true
    underWay = underWay.then(() => {
      requested = false
      return mailNotices(pool).catch((error: unknown) =>
        log.warn({ err: error }, 'Notices were not mailed; they are tried again in a minute'),
      )
    })
  }
  const forget = listener.subscribe(noticeChannel, request)
  const timer = setInterval(request, every)
  timer.unref()
  request()
  return {
    async stop() {
      clearInterval(timer)
      forget()
      await underWay
    },
  }
}
