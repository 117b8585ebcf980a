import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import type { Language } from '#lib/platform/rules/language.ts'
import { ownValue } from '#lib/platform/rules/names.ts'
import {
  placeholdersOf,
  previewSentence,
  readSentence,
  sentenceKeys,
  standardSentence,
} from '#lib/words/sentences.ts'
import { readStoredSentences } from './own-sentences.ts'

/** A sentence that customers read, for whoever may word it. */
export interface SentenceView {
  readonly key: string
  readonly standard: string
  /** The merchant's own; null where the standard one is said. */
  readonly own: string | null
  /** The one that is said, with amounts made up. */
  readonly preview: string
  /** What may stand in braces. */
  readonly placeholders: readonly string[]
}

/** All sentences of a language, in the order in which things happen. Throws `NotAllowed`. */
export async function listSentences(caller: Caller, language: Language): Promise<SentenceView[]> {
  requirePermission(caller, 'manage-settings')
  const kept = (await readStoredSentences())[language] ?? {}
  return sentenceKeys.map((key) => {
    const standard = standardSentence(language, key) ?? ''
    const text = ownValue(kept, key)
    const own = text !== undefined && readSentence(key, text).kind === 'known' ? text : null
    return {
      key,
      standard,
      own,
      preview: previewSentence(language, key, own ?? standard),
      placeholders: placeholdersOf(key),
    }
  })
}
