import 'server-only'
import { z } from 'zod'
import type { Listener } from '#lib/db/listen.ts'
import { pool } from '#lib/db/pool.ts'
import { readSettingRow } from '#lib/db/setting-row.ts'
import type { Language } from '#lib/domain/text/language.ts'
import type { OwnSentences } from '#lib/words/customer-words.ts'
import { settingsChannel } from './read-settings.ts'

/** The key of the row that holds what the merchant says in their own words, by language. */
export const sentencesKey = 'customer-sentences'

export type SentencesByLanguage = Readonly<Partial<Record<Language, OwnSentences>>>

/** The merchant's own sentences. The server keeps them until they change; anybody else reads the row. */
export const readOwnSentences = (): Promise<SentencesByLanguage> => (globalThis.rampartSentences ?? readRow)()

/** Keeps the sentences in memory from now on, for this process and what Next bundles. */
export function keepOwnSentences(source: Listener): void {
  let kept: Promise<SentencesByLanguage> | undefined
  const forget = () => {
    kept = undefined
  }
  source.subscribe(settingsChannel, forget)
  source.onListening(forget)
  globalThis.rampartSentences = () => {
    kept ??= readRow().catch((error: unknown) => {
      forget()
      throw error
    })
    return kept
  }
}

const StoredSchema = z.record(z.string(), z.record(z.string(), z.string())).catch({})

/** Sentences of a row; what cannot be read counts as none. */
export const toSentences = (value: unknown): SentencesByLanguage => StoredSchema.parse(value ?? {})

const readRow = async (): Promise<SentencesByLanguage> =>
  toSentences(await readSettingRow(pool(), sentencesKey))

declare global {
  var rampartSentences: (() => Promise<SentencesByLanguage>) | undefined
}
