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
  const boot = Date.now().toString(36)
  let count = 0
  let kept = 0
  /** The next message contains each subject once per owner; null when anything may have changed. */
  let pending: Map<string, ChangeNotification['subjects'][number]> | null = new Map()
  let since = 0
  let timer: NodeJS.Timeout | undefined
  /** The next message is due at this time at an even pace. */
  let dueAt = Number.NEGATIVE_INFINITY

  const position = () => formatPosition({ boot, count })

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
      // The missed messages are not kept any more, or another process sent them. Anything may have changed.
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

/** A live message is a change for browsers, numbered within this process. */
interface LiveMessage {
  readonly id: string
  readonly at: number
  /** The subjects are null when anything may have changed. */
  readonly subjects: ChangeNotification['subjects'] | null
}

/**
 * `encodeMessage` writes one server-sent event with these subjects, or `subjects: null` when anything may have changed.
 * The same bytes go to every stream.
 */
function encodeMessage(
  { id, at }: Pick<LiveMessage, 'id' | 'at'>,
  subjects: Iterable<string> | null,
): Buffer {
  const data = { kind: 'changed', subjects: subjects && [...new Set(subjects)], at: new Date(at) }
  return Buffer.from(`id: ${id}\ndata: ${JSON.stringify(data)}\n\n`)
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

/** A position says how many messages of one process a browser has received. */
interface Position {
  /** The boot is the start time of the process that numbered the messages. */
  readonly boot: string
  /** The count is the number of the last message received. */
  readonly count: number
}

const formatPosition = ({ boot, count }: Position): string => `${boot}.${count}`

/** The position is null when no process of ours wrote the text. */
function parsePosition(text: string): Position | null {
  const [, boot, count] = /^([0-9a-z]{1,20})\.(\d{1,15})$/.exec(text) ?? []
  return boot === undefined || count === undefined ? null : { boot, count: Number(count) }
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
