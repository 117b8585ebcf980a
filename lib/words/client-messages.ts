import 'server-only'
import type { Language } from '#lib/platform/rules/language.ts'
import { compiledMessages } from './compile-messages.ts'
import type { CompiledMessages } from './labels/translate.ts'
import type { en } from './messages/en.ts'

/** The parts of a catalogue that a page hands to the browser. None of them holds sentences that a merchant may word. */
export const clientMessages = (language: Language, parts: readonly (keyof typeof en)[]): CompiledMessages => {
  const all = compiledMessages(language)
  return Object.fromEntries(parts.flatMap((part) => (all[part] === undefined ? [] : [[part, all[part]]])))
}
