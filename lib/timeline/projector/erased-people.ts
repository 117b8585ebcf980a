import 'server-only'
import crypto from 'node:crypto'
import type pg from 'pg'
import { type Envelope, parseEnvelope } from '#lib/deliveries/rules/envelope.ts'
import {
  type Erasure,
  erasedText,
  eraseEnvelope,
  eraseMentions,
} from '#lib/deliveries/rules/erase-envelope.ts'
import { canonicalJson } from '#lib/deliveries/rules/json.ts'
import { uuidPattern } from '#lib/platform/rules/ids.ts'

/** The mark of an erased person names nobody: only somebody who already has the uuid can recognise it. */
export interface ErasureMark {
  readonly salt: Buffer
}

/**
 * The user's uuid alone, in lower case, becomes a SHA-256 digest. The uuid is random, so it cannot be guessed
 * from the digest.
 */
export const userDigest = (userUuid: string): Buffer => crypto.hash('sha256', userUuid, 'buffer')

/**
 * A projector knows the erased people from here. It reads them each time it acquires shards; an erasure takes
 * all shards away for a moment, so that nothing read before is written after.
 */
export class ErasedPeople {
  #marks: ReadonlyMap<string, ErasureMark> = new Map()

  async load(pool: pg.Pool): Promise<void> {
    const { rows } = await pool.query<{ user_digest: Buffer; salt: Buffer }>(MARKS)
    this.#marks = new Map(rows.map(({ user_digest, salt }) => [user_digest.toString('hex'), { salt }]))
  }

  /** A body that is about an erased person, or names one, is reduced to this; null when it may stay. */
  erase(body: Uint8Array): Uint8Array | null {
    let kept: Uint8Array | null = null
    for (const { userUuid, mark } of this.namedIn(body))
      kept =
        eraseBody(kept ?? body, userUuid, mark, (text) =>
          `${text} ${unescaped(text)}`.toLowerCase().includes(userUuid),
        ) ?? kept
    return kept
  }

  /** The body has the uuids of these erased people. */
  namedIn(body: Uint8Array): { readonly userUuid: string; readonly mark: ErasureMark }[] {
    if (this.#marks.size === 0) return []
    return [...uuidsIn(body)].flatMap((userUuid) => {
      const mark = this.#marks.get(userDigest(userUuid).toString('hex'))
      return mark ? [{ userUuid, mark }] : []
    })
  }
}

const anyUuid = new RegExp(uuidPattern, 'gi')

/** The uuids in the body are in lower case. JSON may write each of their letters as an escape. */
const uuidsIn = (body: Uint8Array): Set<string> => {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1')
  const found = new Set(Array.from(text.matchAll(anyUuid), ([uuid]) => uuid.toLowerCase()))
  const plain = unescaped(text)
  if (plain !== text) for (const [uuid] of plain.matchAll(anyUuid)) found.add(uuid.toLowerCase())
  return found
}

/** A text that is JSON within JSON has more backslashes before an escape. */
const unescaped = (text: string): string =>
  text.includes('\\u00')
    ? text.replace(escapes, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text

/** Only letters of a uuid are read, since the escapes of other letters are in many ordinary bodies. */
const escapes = /\\{1,8}u00(2d|3\d|[46][1-6])/gi

/**
 * A body about the person loses their data; a body that names the person loses their values. `isTheirs` says
 * that a text is one of the person's values, or contains one. Null when the body does neither.
 */
export function eraseBody(
  body: Uint8Array,
  userUuid: string,
  mark: ErasureMark,
  isTheirs: (text: string) => boolean,
): Uint8Array | null {
  const parsed = parseEnvelope(body)
  if (parsed.kind === 'unreadable') return Buffer.from(`${erasedText} ${markOf(mark, body)}`)
  const { envelope } = parsed
  const own = isAbout(envelope, userUuid) ? eraseEnvelope(envelope, erasureOf(mark, envelope)) : null
  // A type or a step may contain such a value, too.
  const fields = eraseMentions(own ? { fields: own, hidden: [] } : envelope, isTheirs) ?? own
  return fields && Buffer.from(canonicalJson(fields))
}

/**
 * A body whose time is over is reduced like that of an erased person, but keeps the ids; an unreadable one
 * loses everything. Bodies that differed still differ. Null when it was reduced before.
 */
export function endBody(body: Uint8Array): Uint8Array | null {
  const parsed = parseEnvelope(body)
  if (parsed.kind === 'unreadable') {
    return isEndedText(body) ? null : Buffer.from(`${erasedText} ${shortHash(body)}`)
  }
  const { envelope } = parsed
  if (isMarked(envelope)) return null
  const mark = shortHash(canonicalJson(envelope.fields))
  return Buffer.from(canonicalJson(eraseEnvelope(envelope, { pseudonymOf: (id) => id, mark })))
}

/** The body is not what the provider sent: it was reduced because its time was over or its person was erased. */
export function isReduced(body: Uint8Array): boolean {
  const parsed = parseEnvelope(body)
  return parsed.kind === 'unreadable' ? isEndedText(body) : isMarked(parsed.envelope)
}

const isMarked = ({ fields }: Envelope): boolean => {
  const mark = fields.get(erasedText)
  return typeof mark === 'string' && anyMark.test(mark)
}

/** An unreadable body becomes this text when its time is over or its person was erased. */
const isEndedText = (body: Uint8Array): boolean => {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1')
  return text.startsWith(`${erasedText} `) && anyMark.test(text.slice(erasedText.length + 1))
}

const anyMark = /^[0-9a-f]{8,16}$/

const shortHash = (text: string | Uint8Array): string => crypto.hash('sha256', text).slice(0, 8)

export const isAbout = ({ uuid }: Envelope, userUuid: string): boolean =>
  uuid?.trim().toLowerCase() === userUuid

function erasureOf(mark: ErasureMark, { fields }: Envelope): Erasure {
  return { pseudonymOf: (id) => pseudonymOf(mark, id), mark: markOf(mark, canonicalJson(fields)) }
}

/** The pseudonym replaces an id of an erased person: `erased-1f2e3d4c5b6a7988`. */
export const pseudonymOf = (mark: ErasureMark, id: string): string =>
  `${erasedText}-${digest(mark, `id ${id.trim().toLowerCase()}`)}`

const markOf = (mark: ErasureMark, text: string | Uint8Array) =>
  digest(mark, `body ${crypto.hash('sha256', text, 'hex')}`)

const digest = ({ salt }: ErasureMark, text: string) =>
  crypto.createHmac('sha256', salt).update(text).digest('hex').slice(0, 16)

const MARKS = 'SELECT user_digest, salt FROM erasure'
