import 'server-only'
import type pg from 'pg'
import { type Listener, listener } from '#lib/db/listen.ts'
import { pool } from '#lib/db/pool.ts'
import type { Caller } from '#lib/request/caller.ts'
import { visibleTo } from '#lib/request/visible-to.ts'
import { openChangeBroadcast } from './change-broadcast.ts'
import { watchSessions } from './session-watch.ts'

/** Where a stream is written to, whatever server answers it. */
export interface Sink {
  /** Before anything is written. */
  begin(): void
  /** False while the browser does not keep up; then `drained` is called when it does. */
  write(bytes: Uint8Array): boolean
  end(): void
}

export type Opened =
  | {
      readonly kind: 'open'
      drained(): void
      /** The browser has left. */
      leave(): void
      end(): void
    }
  /** `retryAfter` in seconds. */
  | { readonly kind: 'refused'; readonly status: 401 | 429 | 503; readonly retryAfter?: number }

/** The open streams of one process. */
export interface Streams {
  /** Throws `NotAllowed`. */
  open(caller: Caller, sink: Sink, lastEventId: string | null): Opened
  close(): void
}

export interface StreamLimits {
  /** Streams of one session; a browser has one for each of its tabs. */
  readonly ofSession: number
  /** Streams of this process. */
  readonly ofProcess: number
  /** Milliseconds between heartbeats; a stream that has not read the previous one is closed. */
  readonly heartbeat: number
}

const usual: StreamLimits = { ofSession: 6, ofProcess: 2_000, heartbeat: 15_000 }

/** Seconds after which a page that was refused a stream asks again; meanwhile it looks for changes as often. */
const retryAfter = 15

/** The streams of this process, shared between the fast way and what Next bundles. */
export function streams(): Streams {
  globalThis.rampartStreams ??= openStreams(listener(), pool())
  return globalThis.rampartStreams
}

/** Each stream says which subjects changed, ends with its session, and keeps at most one unread message. */
export function openStreams(source: Listener, database: pg.Pool, limits: StreamLimits = usual): Streams {
  const broadcast = openChangeBroadcast(source)
  const sessions = watchSessions(database, source)
  const open = new Map<string, number>()
  let total = 0
  const heartbeat = setInterval(() => {
    broadcast.sendToAll(heartbeatBytes)
    sessions.checkAll()
  }, limits.heartbeat)
  heartbeat.unref()

  function count(sessionId: string, change: 1 | -1) {
    total += change
    const left = (open.get(sessionId) ?? 0) + change
    if (left > 0) open.set(sessionId, left)
    else open.delete(sessionId)
  }

  function start(caller: Caller, sink: Sink, lastEventId: string | null): Opened {
    const owner = visibleTo(caller)
    let joined = true
    let behindSince: number | null = null
    let missed = false
    const send = (bytes: Uint8Array) => {
      if (!joined) return
      if (behindSince === null) {
        if (!sink.write(bytes)) behindSince = performance.now()
      } else if (performance.now() - behindSince < limits.heartbeat) missed = true
      else end()
    }
    const leave = () => {
      if (!joined) return
      joined = false
      count(caller.sessionId, -1)
      forget()
      unwatch()
    }
    const end = () => {
      if (!joined) return
      leave()
      sink.end()
    }
    count(caller.sessionId, 1)
    const forget = broadcast.join({ owner, send })
    const unwatch = sessions.add(caller, () => {
      // The page need not come back first to learn it.
      if (joined) sink.write(signedOut)
      end()
    })
    sink.begin()
    send(hello)
    const message = lastEventId === null ? null : broadcast.since(lastEventId, owner)
    if (message) send(message)
    return {
      kind: 'open',
      leave,
      end,
      drained() {
        behindSince = null
        if (missed) send(anythingChanged)
        missed = false
      },
    }
  }

  return {
    open(caller, sink, lastEventId) {
      if (total >= limits.ofProcess) return { kind: 'refused', status: 503, retryAfter }
      if ((open.get(caller.sessionId) ?? 0) >= limits.ofSession)
        return { kind: 'refused', status: 429, retryAfter }
      return start(caller, sink, lastEventId)
    },
    close() {
      clearInterval(heartbeat)
      broadcast.close()
      sessions.close()
    },
  }
}

/** A browser whose connection broke comes back after 2 s. */
const hello = Buffer.from('retry: 2000\n\n')
const heartbeatBytes = Buffer.from(': still here\n\n')
/** The last message of a stream whose session has ended, or is locked. */
const signedOut = Buffer.from('data: {"kind":"signed-out"}\n\n')
/** Sent to a reader that was too slow to receive every message. */
const anythingChanged = Buffer.from('data: {"kind":"changed","subjects":null}\n\n')

declare global {
  var rampartStreams: Streams | undefined
}
