/** `Json` is any JSON value without loss: numbers keep their digits, and objects may have any key (also `__proto__`). */
export type Json = null | boolean | string | JsonNumber | readonly Json[] | JsonObject

/** Keys keep the order in which they were first written. The last value of a repeated key counts. */
export interface JsonObject extends ReadonlyMap<string, Json> {}

/** The text has this member, but a later one with the same key counts. */
export type HiddenMember = readonly [key: string, value: Json]

/** The number is kept as it was written, for instance `12345678901234567890.123`, `1e400`, `-0` or `1.10`. */
export class JsonNumber {
  readonly digits: string

  constructor(digits: string) {
    this.digits = digits
  }
}

export const isJsonObject = (value: Json | undefined): value is JsonObject => value instanceof Map

/**
 * `parseJson` reads strict JSON (RFC 8259). Neither depth nor size can overflow the stack. `at` is the position, in UTF-16
 * code units, at which the text stops being JSON.
 */
export function parseJson(
  text: string,
): { kind: 'parsed'; value: Json; hidden: readonly HiddenMember[] } | { kind: 'malformed'; at: number } {
  const reader = new Reader(text)
  const hidden: HiddenMember[] = []
  try {
    return { kind: 'parsed', value: readDocument(reader, hidden), hidden }
  } catch (error) {
    if (error === reader.malformed) return { kind: 'malformed', at: reader.at }
    throw error
  }
}

type Open =
  | { readonly kind: 'array'; readonly value: Json[] }
  | { readonly kind: 'object'; readonly value: Map<string, Json>; key: string }

function readDocument(reader: Reader, hidden: HiddenMember[]): Json {
  const open: Open[] = []
  for (;;) {
    let value = readValueOrOpen(reader, open)
    if (value === undefined) continue
    for (;;) {
      const parent = open.at(-1)
      if (!parent) return reader.end(value)
      if (parent.kind === 'array') parent.value.push(value)
      else setMember(parent.value, parent.key, value, hidden)
      if (reader.takes(',')) {
        if (parent.kind === 'object') parent.key = reader.key()
        break
      }
      reader.expects(parent.kind === 'array' ? ']' : '}')
      open.pop()
      value = parent.value
    }
  }
}

function setMember(object: Map<string, Json>, key: string, value: Json, hidden: HiddenMember[]): void {
  const before = object.get(key)
  if (before !== undefined) hidden.push([key, before])
  object.set(key, value)
}

/** The result is a whole value, or undefined when an array or object with content was opened instead. */
function readValueOrOpen(reader: Reader, open: Open[]): Json | undefined {
  if (reader.takes('[')) {
    if (reader.takes(']')) return []
    open.push({ kind: 'array', value: [] })
    return undefined
  }
  if (reader.takes('{')) {
    if (reader.takes('}')) return new Map()
    open.push({ kind: 'object', value: new Map(), key: reader.key() })
    return undefined
  }
  return reader.scalar()
}

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const hex4 = /[0-9a-fA-F]{4}/y
const words = new Map<string, Json>([
  ['true', true],
  ['false', false],
  ['null', null],
])
const escapes = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
])

class Reader {
  readonly text: string
  readonly malformed = new Error('not JSON')
  at = 0

  constructor(text: string) {
    this.text = text
  }

  takes(character: string): boolean {
    this.#skipSpace()
    if (this.text[this.at] !== character) return false
    this.at += 1
    return true
  }

  expects(character: string): void {
    if (!this.takes(character)) throw this.malformed
  }

  key(): string {
    this.expects('"')
    const key = this.#string()
    this.expects(':')
    return key
  }

  scalar(): Json {
    if (this.takes('"')) return this.#string()
    const digits = this.#match(number)
    if (digits !== null) return new JsonNumber(digits)
    for (const [word, value] of words) {
      if (!this.text.startsWith(word, this.at)) continue
      this.at += word.length
      return value
    }
    throw this.malformed
  }

  end(value: Json): Json {
    this.#skipSpace()
    if (this.at < this.text.length) throw this.malformed
    return value
  }

  #string(): string {
    let read = ''
    let from = this.at
    for (;;) {
      const code = this.text.charCodeAt(this.at)
      if (code === 0x22) {
        read += this.text.slice(from, this.at)
        this.at += 1
        return read
      }
      if (code === 0x5c) {
        read += this.text.slice(from, this.at) + this.#escape()
        from = this.at
      } else if (code >= 0x20) {
        this.at += 1
      } else {
        throw this.malformed
      }
    }
  }

  #escape(): string {
    const letter = this.text[this.at + 1] ?? ''
    this.at += 2
    if (letter === 'u') {
      const code = this.#match(hex4)
      if (code === null) throw this.malformed
      return String.fromCharCode(Number.parseInt(code, 16))
    }
    const character = escapes.get(letter)
    if (character === undefined) throw this.malformed
    return character
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0] ?? null
    if (found !== null) this.at += found.length
    return found
  }

  #skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
      this.at += 1
    }
  }
}

interface Frame {
  readonly children: readonly (readonly [before: string, value: Json])[]
  readonly close: string
  // biome-ignore lint/plugin: moves on while the text is read
  next: number
}

/**
 * `canonicalJson` writes a value in one form: keys sorted by UTF-16 code units, no spaces, numbers as written, lone
 * surrogates escaped. Two values have the same text exactly when they are equal; `1.1` and `1.10` differ.
 */
export function canonicalJson(value: Json): string {
  const out: string[] = []
  const open: Frame[] = []
  write(value, out, open)
  for (;;) {
    const frame = open.at(-1)
    if (!frame) return out.join('')
    const child = frame.children[frame.next]
    if (!child) {
      out.push(frame.close)
      open.pop()
      continue
    }
    if (frame.next > 0) out.push(',')
    frame.next += 1
    out.push(child[0])
    write(child[1], out, open)
  }
}

function write(value: Json, out: string[], open: Frame[]): void {
  if (value instanceof JsonNumber) {
    out.push(value.digits)
  } else if (isJsonObject(value)) {
    const keys = [...value.keys()].sort()
    out.push('{')
    open.push({
      children: keys.map((key) => [`${JSON.stringify(key)}:`, value.get(key) ?? null]),
      close: '}',
      next: 0,
    })
  } else if (typeof value === 'object' && value !== null) {
    out.push('[')
    open.push({ children: value.map((item) => ['', item]), close: ']', next: 0 })
  } else {
    out.push(JSON.stringify(value))
  }
}
