import 'server-only'
import compile from 'icu-minify/compile'
import type { Language } from '#lib/platform/rules/language.ts'
import type { CompiledMessages } from './labels/translate.ts'
import { catalogues } from './messages/catalogues.ts'
import type { en } from './messages/en.ts'

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
export function compiledMessages(language: Language): CompiledMessages {
  const compiled = known.get(language) ?? compileAll(catalogues[language])
  known.set(language, compiled)
  return compiled
}

/** A page sends these parts of a catalogue to the browser. None of them has sentences that a merchant may change. */
export const clientMessages = (language: Language, parts: readonly (keyof typeof en)[]): CompiledMessages => {
  const all = compiledMessages(language)
  return Object.fromEntries(parts.flatMap((part) => (all[part] === undefined ? [] : [[part, all[part]]])))
}
