import 'server-only'
import { somethingOf } from '#lib/deliveries/rules/subject.ts'
import { type ChangeNotification, changeChannel, parseChange } from '#lib/platform/change-notification.ts'
import type { Listener } from '#lib/platform/db/listen.ts'
import { causeOf, limitedLog } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'

/** A viewer is an open stream. It receives the subjects of one `user_uuid`, or of everybody (null). */
interface Viewer {
  readonly owner: string | null
  send(bytes: Buffer): void
}

/** `ChangeBroadcast` receives every change once and sends it to all viewers, at most ten times a second. */
interface ChangeBroadcast {
  join(viewer: Viewer): () => void
  /** `since` returns all changes after this position as one message; null when there are none. */
  since(position: string, owner: string | null): Buffer | null
  /** The position is that of a viewer who has received all messages so far. */
  position(): string
  /** `sendToAll` sends every viewer a message without subjects: one to staff, another to customers. */
  sendToAll(toStaff: Buffer, toOthers: Buffer): void
  close(): void
}

/**
 * Two messages are this many milliseconds apart on average. After a pause, a message may be `sooner` milliseconds
 * earlier. Together this allows at most ten messages in any second.
 */
const messageInterval = 115
const sooner = 140

/** A message with more subjects says that anything may have changed. */
const maxSubjectsPerMessage = 1_000

/** Past messages are kept for browsers that reconnect soon, until they have this many subjects. */
const maxRecentSubjects = 10_000

export function openChangeBroadcast(
  source: Listener,
  onMessage?: (position: string) => void,
): ChangeBroadcast {
  const viewers = new Map<string | null, Set<Viewer>>()
  const recent: LiveMessage[] = []
  let sentAt = Date.now()
  const boot = sentAt.toString(36)
  let kept = 0
  /** All messages that were sent after this time are kept. */
  let keptAfter = sentAt
  /** The next message contains each subject once per owner; null when anything may have changed. */
  let pending: Map<string, ChangeNotification['subjects'][number]> | null = new Map()
  let since = 0
  let timer: NodeJS.Timeout | undefined
  /** The next message is due at this time at an even pace. */
  let dueAt = Number.NEGATIVE_INFINITY

  const position = () => formatPosition({ boot, sentAt })

  /** The first change after a pause is sent at once, and later ones are collected. */
  function add(changed: ChangeNotification | null) {
    if (timer === undefined) since = changed?.at ?? Date.now()
    if (changed === null) pending = null
    else for (const subject of changed.subjects) pending?.set(subject.join(' '), subject)
    if (pending && pending.size > maxSubjectsPerMessage) pending = null
    timer ??= setTimeout(flush, Math.max(0, Math.ceil(dueAt - sooner - performance.now())))
  }

  function flush() {
    const subjects = pending && [...pending.values()]
    sentAt = Math.max(Date.now(), sentAt + 1)
    const message = { id: position(), sentAt, at: since, subjects }
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
    while (kept > maxRecentSubjects) {
      const gone = recent.shift()
      kept -= 1 + (gone?.subjects?.length ?? 0)
      keptAfter = gone?.sentAt ?? keptAfter
    }
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
      // The missed messages are not kept any more, or another process sent them. Anything may have changed.
      if (at?.boot !== boot || at.sentAt < keptAfter)
        return encodeMessage({ id: owner === null ? position() : null, at: Date.now() }, null)
      const missed = recent.filter((message) => message.sentAt > at.sentAt && isFor(owner, message))
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

/** A live message is a change for browsers. */
interface LiveMessage {
  readonly id: string
  /** The message was sent at this time in milliseconds. Every message of this process has another time. */
  readonly sentAt: number
  readonly at: number
  /** The subjects are null when anything may have changed. */
  readonly subjects: ChangeNotification['subjects'] | null
}

/** Viewers of this owner were sent the message; those of null are sent every one. */
const isFor = (owner: string | null, { subjects }: LiveMessage): boolean =>
  owner === null || subjects === null || subjects.some(([, of]) => of === owner)

/**
 * `encodeMessage` writes one server-sent event with these subjects, or `subjects: null` when anything may have changed.
 * The same bytes go to every stream. A null id gives the browser no position.
 */
function encodeMessage(
  { id, at }: { readonly id: string | null; readonly at: number },
  subjects: Iterable<string> | null,
): Buffer {
  const data = { kind: 'changed', subjects: subjects && [...new Set(subjects)], at: new Date(at) }
  return Buffer.from(`${id === null ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`)
}

/** Staff receive each subject and each person with a change. A person's page may not know the new subject yet. */
const namesForStaff = (subjects: ChangeNotification['subjects']): string[] => [
  ...subjects.map(([subjectId]) => subjectId),
  ...subjects.flatMap(([, owner]) => (owner === null ? [] : [somethingOf(owner)])),
]

/** The ids of a message's subjects are grouped by their user. */
function subjectsByOwner(subjects: ChangeNotification['subjects']): Map<string, string[]> {
  const owners = new Map<string, string[]>()
  for (const [subjectId, owner] of subjects) {
    if (owner === null) continue
    const known = owners.get(owner)
    if (known) known.push(subjectId)
    else owners.set(owner, [subjectId])
  }
  return owners
}

/**
 * A position is the last message that a browser has received. It is no count, because customers could see from that
 * how much others received.
 */
interface Position {
  /** The boot is the start time of the process that sent the message. */
  readonly boot: string
  readonly sentAt: number
}

const formatPosition = ({ boot, sentAt }: Position): string => `${boot}.${sentAt}`

/** The position is null when no process of ours wrote the text. */
function parsePosition(text: string): Position | null {
  const [, boot, sentAt] = /^([0-9a-z]{1,20})\.(\d{1,15})$/.exec(text) ?? []
  return boot === undefined || sentAt === undefined ? null : { boot, sentAt: Number(sentAt) }
}

/** The process writes to this many streams before it does other work. */
const streamsPerTurn = 100

const limited = limitedLog(logOf('live'))

/**
 * `sendToEach` sends in small groups, so that an arriving delivery does not wait for all streams. A stream that cannot be
 * written to keeps nothing from the others.
 */
export function sendToEach(viewers: readonly { send(bytes: Buffer): void }[], bytes: Buffer, from = 0): void {
  for (const viewer of viewers.slice(from, from + streamsPerTurn)) {
    try {
      viewer.send(bytes)
    } catch (error) {
      limited.warn(causeOf(error), { err: error }, 'A stream could not be written to')
    }
  }
  if (from + streamsPerTurn < viewers.length) setImmediate(sendToEach, viewers, bytes, from + streamsPerTurn)
}
