import 'server-only'
import compile from 'icu-minify/compile'
import type { Language } from '#lib/platform/rules/language.ts'
import { catalogues } from './catalogues.ts'
import type { CompiledMessages } from './labels/translate.ts'

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

/** The standard words of a language, compiled once. */
export function compiledMessages(language: Language): CompiledMessages {
  const compiled = known.get(language) ?? compileAll(catalogues[language])
  known.set(language, compiled)
  return compiled
}
