import 'server-only'
import type pg from 'pg'
import { env } from '../env.ts'
import { causeOf, limitedLog, noting } from '../log/limited.ts'
import { logOf } from '../log.ts'
import { closeConnection, settleSession, TimedClient, takesWrites } from './connect.ts'
import { notePooler } from './statements.ts'

const log = logOf('database')
const note = noting(log)
const limited = limitedLog(log)

/** Other programs see this name in `pg_stat_activity` and know that Rampart runs. */
export const listenerName = 'rampart listen'

/** A listener is one LISTEN connection with many subscribers. */
export interface Listener {
  /** `subscribe` calls `onPayload` for every notification on `channel`. Its result unsubscribes. */
  subscribe(channel: string, onPayload: (payload: string) => void): () => void
  /**
   * `onListening` calls back whenever LISTEN starts, also after a reconnect and for a new channel. Notifications before it
   * were missed.
   */
  onListening(callback: () => void): () => void
  close(): Promise<void>
}

/** The process has one LISTEN connection, which bypasses any pooler and is shared with Next's bundle. */
export function listener(): Listener {
  globalThis.rampartListener ??= openListener(env().databaseDirectUrl)
  return globalThis.rampartListener
}

/** A probe query runs `every` milliseconds, and must be answered within `answer` milliseconds. */
export interface ListenerLimits {
  readonly every: number
  readonly answer: number
}

/**
 * `openListener` listens on a separate connection, and reconnects every half second until it is closed. A probe query checks
 * the connection, because one whose packets are lost shows no error by itself, nor does one to a fenced former primary.
 */
export function openListener(
  connectionString: string,
  limits: ListenerLimits = { every: 10_000, answer: 5_000 },
): Listener {
  const subscribers = new Map<string, Set<(payload: string) => void>>()
  const callbacks = new Set<() => void>()
  let client: pg.Client | undefined
  /** The connection listens to these channels. */
  let heard: ReadonlySet<string> = new Set()
  let retry: NodeJS.Timeout | undefined
  let closed = false

  async function connect() {
    const next = new TimedClient({
      connectionString,
      application_name: listenerName,
      connectionTimeoutMillis: 3_000,
      query_timeout: limits.answer,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    })
    let gone = false
    let probe: NodeJS.Timeout | undefined
    const again = (error?: Error) => {
      if (gone) return
      gone = true
      clearInterval(probe)
      client = undefined
      if (!closed)
        limited.warn(causeOf(error), { err: error }, 'Notifications do not arrive; listening starts again')
      next.end().catch(note('debug', 'The lost connection had no end'))
      if (!closed) retry = setTimeout(connect, 500)
    }
    next.on('error', again)
    next.on('end', () => again())
    next.on('notification', ({ channel, payload }) => {
      for (const onPayload of subscribers.get(channel) ?? []) onPayload(payload ?? '')
    })
    try {
      await next.connect()
      await notePooler(next)
      await settleSession(next)
      const channels = new Set<string>()
      for (const channel of subscribers.keys()) {
        await next.query(`LISTEN ${next.escapeIdentifier(channel)}`)
        channels.add(channel)
      }
      if (closed) return again()
      client = next
      heard = channels
      probe = setInterval(() => void requireWrites(next).catch(again), limits.every).unref()
      for (const callback of callbacks) callback()
    } catch (error) {
      again(error instanceof Error ? error : undefined)
    }
  }
  /** The connection runs one query at a time. */
  let listening: Promise<unknown> = connect()

  return {
    subscribe(channel, onPayload) {
      const existing = subscribers.get(channel)
      const set = existing ?? new Set()
      set.add(onPayload)
      if (!existing) {
        subscribers.set(channel, set)
        listening = listening
          .then(async () => {
            if (!client || heard.has(channel)) return
            await client.query(`LISTEN ${client.escapeIdentifier(channel)}`)
            heard = new Set([...heard, channel])
            for (const callback of callbacks) callback()
          })
          .catch(note('debug', 'A channel is not listened to yet; the next connection does'))
      }
      return () => set.delete(onPayload)
    },
    onListening(callback) {
      callbacks.add(callback)
      return () => callbacks.delete(callback)
    },
    async close() {
      closed = true
      clearTimeout(retry)
      await listening
      if (client) await closeConnection(client)
    },
  }
}

async function requireWrites(client: pg.Client) {
  if (!(await takesWrites(client))) throw new Error('The database takes no writes')
}

declare global {
  var rampartListener: Listener | undefined
}
