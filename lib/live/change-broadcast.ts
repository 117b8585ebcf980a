import 'server-only'
import { type ChangeNotification, changeChannel, parseChange } from '#lib/platform/change-notification.ts'
import type { Listener } from '#lib/platform/db/listen.ts'
import { encodeMessage, type LiveMessage, namesForStaff, subjectsByOwner } from './message.ts'
import { formatPosition, parsePosition } from './position.ts'
import { sendToEach } from './send-to-each.ts'

/** An open stream, and whose subjects it is sent: everybody's (null), or those of one `user_uuid`. */
export interface Viewer {
  readonly owner: string | null
  send(bytes: Buffer): void
}

/** Receives every change once and sends it to all viewers, at most ten times a second. */
export interface ChangeBroadcast {
  join(viewer: Viewer): () => void
  /** All changes after this position, as one message; null when there are none. */
  since(position: string, owner: string | null): Buffer | null
  /** The position of whoever has received all messages so far. */
  position(): string
  /** Sends every viewer a message that says nothing of subjects: one to those who see all, another to the others. */
  sendToAll(toStaff: Buffer, toOthers: Buffer): void
  close(): void
}

/**
 * Milliseconds between two messages on average, and by how many a message may come earlier after a quiet
 * moment; together at most ten messages in any second.
 */
const messageInterval = 115
const sooner = 140

/** A message with more subjects says that anything may have changed. */
const maxSubjectsPerMessage = 1_000

/** Subjects of past messages that are kept for browsers that come back after a short break. */
const maxRecentSubjects = 10_000

export function openChangeBroadcast(
  source: Listener,
  onMessage?: (position: string) => void,
): ChangeBroadcast {
  const viewers = new Map<string | null, Set<Viewer>>()
  const recent: LiveMessage[] = []
  const boot = Date.now().toString(36)
  let count = 0
  let kept = 0
  /** What the next message contains, each subject once per owner; null when anything may have changed. */
  let pending: Map<string, ChangeNotification['subjects'][number]> | null = new Map()
  let since = 0
  let timer: NodeJS.Timeout | undefined
  /** When the next message is due at an even pace. */
  let dueAt = Number.NEGATIVE_INFINITY

  const position = () => formatPosition({ boot, count })

  /** The first change after a quiet moment is sent at once; later ones are collected. */
  function add(changed: ChangeNotification | null) {
    if (timer === undefined) since = changed?.at ?? Date.now()
    if (changed === null) pending = null
    else for (const subject of changed.subjects) pending?.set(subject.join(' '), subject)
    if (pending && pending.size > maxSubjectsPerMessage) pending = null
    timer ??= setTimeout(flush, Math.max(0, Math.ceil(dueAt - sooner - performance.now())))
  }

  function flush() {
    const subjects = pending && [...pending.values()]
    count += 1
    const message = { id: position(), at: since, subjects }
    pending = new Map()
    timer = undefined
    dueAt = Math.max(dueAt, performance.now()) + messageInterval
    keep(message)
    onMessage?.(message.id)
    if (subjects === null)
      return sendToEach(
        [...viewers.values()].flatMap((set) => [...set]),
        encodeMessage(message, null),
      )
    const staff = viewers.get(null)
    if (staff) sendToEach([...staff], encodeMessage(message, namesForStaff(subjects)))
    for (const [owner, ownSubjects] of subjectsByOwner(subjects)) {
      const set = viewers.get(owner)
      if (set) sendToEach([...set], encodeMessage(message, ownSubjects))
    }
  }

  function keep(message: LiveMessage) {
    recent.push(message)
    kept += 1 + (message.subjects?.length ?? 0)
    while (kept > maxRecentSubjects) kept -= 1 + (recent.shift()?.subjects?.length ?? 0)
  }

  const unsubscribe = source.subscribe(changeChannel, (payload) => {
    const changed = parseChange(payload)
    if (changed) add(changed)
  })
  const stopListening = source.onListening(() => add(null))

  return {
    join(viewer) {
      const set = viewers.get(viewer.owner) ?? new Set()
      viewers.set(viewer.owner, set.add(viewer))
      return () => {
        set.delete(viewer)
        if (set.size === 0 && viewers.get(viewer.owner) === set) viewers.delete(viewer.owner)
      }
    },
    since(from, owner) {
      const at = parsePosition(from)
      const behind = at?.boot === boot ? count - at.count : -1
      // The missed messages are no longer known, or another process sent them: anything may have changed.
      if (behind < 0 || behind > recent.length) return encodeMessage({ id: position(), at: Date.now() }, null)
      const missed = recent.slice(recent.length - behind)
      const last = missed.at(-1)
      if (!last) return null
      if (missed.some(({ subjects }) => subjects === null)) return encodeMessage(last, null)
      const subjects = missed
        .flatMap((message) => message.subjects ?? [])
        .filter(([, of]) => owner === null || of === owner)
      if (subjects.length === 0) return null
      return encodeMessage(
        last,
        owner === null ? namesForStaff(subjects) : subjects.map(([subjectId]) => subjectId),
      )
    },
    position,
    sendToAll(toStaff, toOthers) {
      for (const [owner, set] of viewers) sendToEach([...set], owner === null ? toStaff : toOthers)
    },
    close() {
      clearTimeout(timer)
      unsubscribe()
      stopListening()
    },
  }
}
