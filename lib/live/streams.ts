import 'server-only'
import type pg from 'pg'
import { type Caller, visibleTo } from '#lib/access/caller.ts'
import { readStatus, type Status } from '#lib/operations/status/status.ts'
import { type Listener, listener } from '#lib/platform/db/listen.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { openChangeBroadcast } from './change-broadcast.ts'
import { watchSessions } from './session-watch.ts'
import { watchStatus } from './status-watch.ts'

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
  /** Sends first what came after `position`, where there is one. Throws `NotAllowed`. */
  open(caller: Caller, sink: Sink, wanted: WantedStream): Opened
  /** For a page that is made now: where its stream begins. */
  position(): string
  /** How deliveries and the service stand, if it was read less than so many milliseconds ago. */
  recentStatus(ms: number): Status | null
  close(): void
}

export interface WantedStream {
  /** How far this browser is: by the id of the last message that it saw, or as its page was made. */
  readonly position: string | null
  /** Takes no other stream's place: its own was taken. */
  readonly onlyIfFree: boolean
}

export interface StreamLimits {
  /** Streams of one session. The tabs of a browser share one where they can. */
  readonly ofSession: number
  /** Streams of this process. */
  readonly ofProcess: number
  /** Milliseconds between heartbeats: a proxy notices by the first or second that its browser has left. */
  readonly heartbeat: number
  /** Milliseconds between two looks at every session; a stream that has not read for as long is closed. */
  readonly look: number
}

const usual: StreamLimits = { ofSession: 6, ofProcess: 2_000, heartbeat: 5_000, look: 15_000 }

export interface StreamOptions {
  readonly limits?: StreamLimits
  /** Called with the position after each message to the streams. */
  readonly onMessage?: (position: string) => void
  /** Called with the status each time that it was read. */
  readonly onStatus?: (status: Status) => void
}

/** Seconds after which a page that was refused a stream asks again; meanwhile it looks for changes as often. */
const retryAfter = 15

/** The streams of this process, where the API route holds them. */
export function streams(): Streams {
  globalThis.rampartStreams ??= openStreams(listener(), pool())
  return globalThis.rampartStreams
}

/** Each stream says which subjects changed, ends with its session, and keeps at most one unread message. */
export function openStreams(
  source: Listener,
  database: pg.Pool,
  { limits = usual, onMessage, onStatus }: StreamOptions = {},
): Streams {
  const broadcast = openChangeBroadcast(source, onMessage)
  const sessions = watchSessions(database, source)
  const statuses = watchStatus(source, async () => {
    const status = await readStatus()
    onStatus?.(status)
    return status
  })
  /** How to end each stream of a session, the oldest first. */
  const open = new Map<string, Set<() => void>>()
  let total = 0
  /** As it was one heartbeat ago: every message up to there has surely been written before. */
  let settled = broadcast.position()
  const heartbeat = setInterval(() => {
    broadcast.sendToAll(encodeHeartbeat(settled), encodeHeartbeat(''))
    settled = broadcast.position()
  }, limits.heartbeat)
  heartbeat.unref()
  const look = setInterval(() => {
    sessions.checkAll()
    statuses.look()
  }, limits.look)
  look.unref()

  /** Answers how to free the place. */
  function takePlace(sessionId: string, displace: () => void): () => void {
    const ofSession = open.get(sessionId) ?? new Set()
    open.set(sessionId, ofSession.add(displace))
    total += 1
    return () => {
      total -= 1
      ofSession.delete(displace)
      if (ofSession.size === 0 && open.get(sessionId) === ofSession) open.delete(sessionId)
    }
  }

  function start(caller: Caller, sink: Sink, position: string | null): Opened {
    const owner = visibleTo(caller)
    let joined = true
    let behindSince: number | null = null
    let missed = false
    const send = (bytes: Uint8Array) => {
      if (!joined) return
      if (behindSince === null) {
        if (!sink.write(bytes)) behindSince = performance.now()
      } else if (performance.now() - behindSince < limits.look) missed = true
      else end()
    }
    const leave = () => {
      if (!joined) return
      joined = false
      freePlace()
      forget()
      unwatch()
      forgetStatus()
    }
    const end = () => {
      if (!joined) return
      leave()
      sink.end()
    }
    // The page need not come back first to learn why.
    const endSaying = (why: Buffer) => {
      if (joined) sink.write(why)
      end()
    }
    const freePlace = takePlace(caller.sessionId, () => endSaying(displaced))
    const forget = broadcast.join({ owner, send })
    const unwatch = sessions.add(caller, () => endSaying(signedOut))
    sink.begin()
    send(hello)
    const message = position === null ? null : broadcast.since(position, owner)
    if (message) send(message)
    const forgetStatus = statuses.join(caller.role, send)
    return {
      kind: 'open',
      leave,
      end,
      drained() {
        behindSince = null
        if (!missed) return
        missed = false
        send(anythingChanged)
        const status = statuses.latest(caller.role)
        if (status) send(status)
      },
    }
  }

  return {
    open(caller, sink, { position, onlyIfFree }) {
      const ofSession = open.get(caller.sessionId) ?? new Set()
      const [oldest] = ofSession
      const isFull = total >= limits.ofProcess
      if (isFull || ofSession.size >= limits.ofSession) {
        // Proxies keep streams open whose browser has left, and those are the oldest.
        if (onlyIfFree || !oldest) return { kind: 'refused', status: isFull ? 503 : 429, retryAfter }
        oldest()
      }
      return start(caller, sink, position)
    },
    position: broadcast.position,
    recentStatus: statuses.recent,
    close() {
      clearInterval(heartbeat)
      clearInterval(look)
      broadcast.close()
      sessions.close()
      statuses.close()
    },
  }
}

/** A browser whose connection broke comes back after 2 s. The beat tells it that no proxy holds the stream back. */
const hello = Buffer.from('retry: 2000\n\nevent: beat\ndata: \n\n')
/**
 * By it a browser sees that the stream lives, and how far it is when nothing has changed. Customers are not told the latter: it
 * would say that something came for others.
 */
const encodeHeartbeat = (position: string) => Buffer.from(`event: beat\ndata: ${position}\n\n`)
/** The last message of a stream whose session has ended, or is locked. */
const signedOut = Buffer.from('data: {"kind":"signed-out"}\n\n')
/** The last message of a stream whose place a newer one of its session took. */
const displaced = Buffer.from('data: {"kind":"displaced"}\n\n')
/** Sent to a reader that was too slow to receive every message. */
const anythingChanged = Buffer.from('data: {"kind":"changed","subjects":null}\n\n')

declare global {
  var rampartStreams: Streams | undefined
}
