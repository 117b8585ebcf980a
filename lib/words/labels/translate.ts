import type { CompiledMessage, FormatValues } from 'icu-minify/format'
import format from 'icu-minify/format'
import type { Language } from '#lib/platform/rules/language.ts'
import { ownValue } from '#lib/platform/rules/names.ts'

/** Compiled messages have the same keys and depth as the catalogue. */
export interface CompiledMessages {
  readonly [key: string]: CompiledMessage | CompiledMessages
}

/** A message takes a text or a number for each `{name}`. */
type Values<Name extends string> = Readonly<Record<Name, string | number>>

/** A mark renders each `<tag>` of a message. */
type Marks<Name extends string, Node> = Readonly<Record<Name, (words: readonly (string | Node)[]) => Node>>

/** `Words` reads the messages of one language. The literal texts in `Messages` define which values each key needs. */
export interface Words<Messages> {
  readonly language: Language
  /** The call returns a message as text. */
  <Key extends KeysOf<Messages>>(key: Key, ...values: GivenTo<TextAt<Messages, Key>>): string
  /** `rich` returns a message with its tags rendered, such as links. */
  rich<Key extends KeysOf<Messages>, Node>(
    key: Key,
    given: Values<ArgumentsOf<TextAt<Messages, Key>>> & Marks<TagsOf<TextAt<Messages, Key>>, Node>,
  ): (string | Node)[]
}

/** `wordsOf` reads the messages of one language. It throws for a key without a message, which is a programming error. */
export function wordsOf<Messages>(language: Language, messages: CompiledMessages): Words<Messages> {
  const say = (key: string, given: FormatValues = {}) => {
    const message = key.split('.').reduce<Node>(stepInto, messages)
    if (message === undefined || isBranch(message)) throw new Error(`No message ${key} in ${language}`)
    return format<unknown>(message, language, given, { formatters })
  }
  const words = (key: string, given?: FormatValues) => String(say(key, given))
  return Object.assign(words, {
    language,
    rich: (key: string, given: FormatValues) => [say(key, given)].flat(),
  }) as unknown as Words<Messages>
}

type Node = CompiledMessage | CompiledMessages | undefined

const stepInto = (at: Node, part: string): Node => (isBranch(at) ? ownValue(at, part) : undefined)

const isBranch = (node: Node): node is CompiledMessages =>
  typeof node === 'object' && node !== null && !Array.isArray(node)

const formatters = {
  getDateTimeFormat: (...of: ConstructorParameters<typeof Intl.DateTimeFormat>) =>
    new Intl.DateTimeFormat(...of),
  getNumberFormat: (...of: ConstructorParameters<typeof Intl.NumberFormat>) => new Intl.NumberFormat(...of),
  getPluralRules: (...of: ConstructorParameters<typeof Intl.PluralRules>) => new Intl.PluralRules(...of),
}

/** A key is the path to a text, such as `signIn.title`. */
export type KeysOf<Messages> = {
  [Key in keyof Messages & string]: Messages[Key] extends string ? Key : `${Key}.${KeysOf<Messages[Key]>}`
}[keyof Messages & string]

type TextAt<Messages, Key extends string> = Key extends `${infer Head}.${infer Rest}`
  ? Head extends keyof Messages
    ? TextAt<Messages[Head], Rest>
    : never
  : Key extends keyof Messages
    ? Messages[Key] & string
    : never

/** The type finds the names in braces. A plural has whole texts in braces, and texts contain spaces. */
export type ArgumentsOf<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? NameIn<Name> | ArgumentsOf<Rest>
  : never

type NameIn<Text extends string> = Text extends `${infer Name},${string}`
  ? Name
  : Text extends `${string} ${string}`
    ? never
    : Text

type TagsOf<Text extends string> = Text extends `${string}<${infer Name}>${infer Rest}`
  ? (Name extends `/${string}` ? never : Name) | TagsOf<Rest>
  : never

type GivenTo<Text extends string> = [ArgumentsOf<Text>] extends [never]
  ? []
  : [given: Values<ArgumentsOf<Text>>]
