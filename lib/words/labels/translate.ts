import type { CompiledMessage, FormatValues } from 'icu-minify/format'
import format from 'icu-minify/format'
import type { Language } from '#lib/platform/rules/language.ts'
import { ownValue } from '#lib/platform/rules/names.ts'

/** Compiled messages by key, as deep as the catalogue. */
export interface CompiledMessages {
  readonly [key: string]: CompiledMessage | CompiledMessages
}

/** What stands in the places of a message: texts and numbers for `{name}`. */
type Values<Name extends string> = Readonly<Record<Name, string | number>>

/** What becomes of each `<tag>`. */
type Marks<Name extends string, Node> = Readonly<Record<Name, (words: readonly (string | Node)[]) => Node>>

/** Messages of one language, by their keys in `Messages`, the literal texts of which say what each must be given. */
export interface Words<Messages> {
  readonly language: Language
  /** A message as text. */
  <Key extends KeysOf<Messages>>(key: Key, ...values: GivenTo<TextAt<Messages, Key>>): string
  /** A message with marks in it, such as links. */
  rich<Key extends KeysOf<Messages>, Node>(
    key: Key,
    given: Values<ArgumentsOf<TextAt<Messages, Key>>> & Marks<TagsOf<TextAt<Messages, Key>>, Node>,
  ): (string | Node)[]
}

/** Speaks one language. A key without a message is a fault of the program. */
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

/** `signIn.title`: the way to each text. */
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

/** The names in braces. Within a plural stand texts, which have spaces. */
type ArgumentsOf<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
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
