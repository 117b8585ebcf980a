import 'server-only'
import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser'
import compile from 'icu-minify/compile'
import { hintsAtCheck } from '#lib/access/rules/hints-at-check.ts'
import { parseDecimal } from '#lib/platform/rules/decimal.ts'
import type { Language } from '#lib/platform/rules/language.ts'
import { ownValue } from '#lib/platform/rules/names.ts'
import type { CustomerWords } from './labels/customer-labels.ts'
import { formatSpan } from './labels/duration.ts'
import { formatMoney } from './labels/money.ts'
import type { EnglishSentence } from './labels/refusals.ts'
import { type CompiledMessages, wordsOf } from './labels/translate.ts'
import { catalogues } from './messages/catalogues.ts'
import type { en } from './messages/en.ts'

/** A merchant may change the sentences in these parts of the catalogue. They say what happens to a customer. */
const parts = ['steps', 'accountStates', 'told', 'reply'] as const

/** The limit counts characters. */
const mostOfSentence = 300

/** The keys name every sentence that a merchant may change, in the order in which things happen. */
export const sentenceKeys: readonly string[] = parts.flatMap((part) => keysIn(catalogues.en[part], part))

/** The result is the standard sentence of this key, or null for an unknown key. */
export function standardSentence(language: Language, key: string): string | null {
  if (!sentenceKeys.includes(key)) return null
  const found = key.split('.').reduce<unknown>(stepInto, catalogues[language])
  return typeof found === 'string' ? found : null
}

/** The sentence of this key may contain these names in braces. */
export const placeholdersOf = (key: string): readonly string[] =>
  namesIn(parse(standardSentence('en', key) ?? ''))

type SentenceCheck = { readonly kind: 'known' } | { readonly kind: 'refused'; readonly why: EnglishSentence }

/** `readSentence` checks whether a text can replace the sentence of this key. A refusal says why in words for staff. */
export function readSentence(key: string, text: string): SentenceCheck {
  if (standardSentence('en', key) === null) return refused('There is no such sentence.')
  if (text.trim() === '') return refused('Write a sentence, or use the standard words.')
  if (text.length > mostOfSentence) return refused(`At most ${mostOfSentence} characters.`)
  const known = placeholdersOf(key)
  const elements = elementsOf(text)
  if (elements === null) return refused(`A brace or a bracket is not closed. ${listed(known)}`)
  if (elements.some(({ type }) => type !== TYPE.literal && type !== TYPE.argument))
    return refused(`Only plain placeholders can stand here. ${listed(known)}`)
  const unknown = namesIn(elements).find((name) => !known.includes(name))
  if (unknown !== undefined) return refused(`There is no {${unknown}} here. ${listed(known)}`)
  const hint = hintsAtCheck(text)
  if (hint !== null)
    return refused(`“${hint}” tells a customer of a check that they must not know of. Say it without.`)
  return { kind: 'known' }
}

const refused = (why: EnglishSentence) => ({ kind: 'refused', why }) as const

const listed = (names: readonly string[]) =>
  names.length === 0
    ? 'This sentence has no placeholders.'
    : `These can be used: ${names.map((name) => `{${name}}`).join(', ')}.`

/** The result is null when the text is no valid ICU message. */
function elementsOf(text: string): MessageFormatElement[] | null {
  try {
    return parse(asTyped(text))
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

/**
 * An apostrophe of a merchant quotes nothing: ICU would show the braces after `l'{link}`. Two of them are one, as ICU reads
 * them.
 */
const asTyped = (text: string): string => text.replace(/''?/g, "''")

const namesIn = (elements: readonly MessageFormatElement[]) =>
  elements.flatMap((element) => (element.type === TYPE.argument ? [element.value] : []))

const stepInto = (at: unknown, part: string): unknown =>
  typeof at === 'object' && at !== null ? Reflect.get(at, part) : undefined

function keysIn(messages: object, path: string): string[] {
  return Object.entries(messages).flatMap(([key, inner]) =>
    typeof inner === 'string' ? `${path}.${key}` : keysIn(inner, `${path}.${key}`),
  )
}

/** A merchant's own sentences in one language are stored by their keys. */
export type OwnSentences = Readonly<Record<string, string>>

interface Messages {
  readonly [key: string]: string | Messages
}

const compileAll = (messages: Messages): CompiledMessages =>
  Object.fromEntries(
    Object.entries(messages).map(([key, message]) => [
      key,
      // The compiler’s objects have no prototype, and could not be handed to the browser.
      typeof message === 'string' ? structuredClone(compile(message)) : compileAll(message),
    ]),
  )

const known = new Map<Language, CompiledMessages>()

/** The catalogue of a language is compiled once. */
function compiledMessages(language: Language): CompiledMessages {
  const compiled = known.get(language) ?? compileAll(catalogues[language])
  known.set(language, compiled)
  return compiled
}

/** A page sends these parts of a catalogue to the browser. None of them has sentences that a merchant may change. */
export const clientMessages = (language: Language, parts: readonly (keyof typeof en)[]): CompiledMessages => {
  const all = compiledMessages(language)
  return Object.fromEntries(parts.flatMap((part) => (all[part] === undefined ? [] : [[part, all[part]]])))
}

/**
 * The merchant's own sentences replace the standard ones of a language. An own sentence that is not valid any more is left
 * out.
 */
export const customerWords = (language: Language, own: OwnSentences = {}): CustomerWords =>
  wordsOf<typeof en>(language, Object.entries(own).reduce(withOwn, compiledMessages(language)))

const withOwn = (messages: CompiledMessages, [key, text]: [string, string]): CompiledMessages =>
  readSentence(key, text).kind === 'known' ? withMessage(messages, key.split('.'), text) : messages

function withMessage(
  messages: CompiledMessages,
  [first = '', ...rest]: readonly string[],
  text: string,
): CompiledMessages {
  const inner = ownValue(messages, first)
  if (rest.length === 0) return { ...messages, [first]: compile(asTyped(text)) }
  return typeof inner === 'object' && !Array.isArray(inner)
    ? { ...messages, [first]: withMessage(inner, rest, text) }
    : messages
}

/** The preview shows a sentence as a customer would read it, with invented amounts. The caller has checked the sentence. */
export function previewSentence(language: Language, key: string, text: string): string {
  const fiat = amount('255.86', 'EUR', language)
  const coins = amount('260.5', 'USDC', language)
  const selling = key.startsWith('steps.cryptoToFiat.')
  const example: Readonly<Record<string, string>> = {
    given: selling ? coins : fiat,
    got: selling ? fiat : coins,
    duration: formatSpan(48, language),
    link: 'https://verify.example',
  }
  const words = wordsOf<{ readonly sentence: '{given}{got}{duration}{link}' }>(language, {
    sentence: compile(asTyped(text)),
  })
  return words('sentence', { given: '', got: '', duration: '', link: '', ...example })
}

function amount(digits: string, currency: string, language: Language): string {
  const decimal = parseDecimal(digits)
  return decimal === null ? digits : formatMoney(decimal, currency, language)
}
