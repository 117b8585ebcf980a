import 'server-only'
import compile from 'icu-minify/compile'
import type { Language } from '#lib/platform/rules/language.ts'
import { ownValue } from '#lib/platform/rules/own-value.ts'
import { compiledMessages } from './compile-messages.ts'
import type { CustomerWords } from './labels/customer-labels.ts'
import { type CompiledMessages, wordsOf } from './labels/translate.ts'
import type { en } from './messages/en.ts'
import { readSentence } from './sentences.ts'

/** A merchant's own sentences in one language, by their keys. */
export type OwnSentences = Readonly<Record<string, string>>

/** The words of a language, the merchant's own in place of the standard ones. What is no sentence of today's is left out. */
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
  if (rest.length === 0) return { ...messages, [first]: compile(text) }
  return typeof inner === 'object' && !Array.isArray(inner)
    ? { ...messages, [first]: withMessage(inner, rest, text) }
    : messages
}
