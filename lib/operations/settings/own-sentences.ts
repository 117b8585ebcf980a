import 'server-only'
import { z } from 'zod'
import type { Language } from '#lib/platform/rules/language.ts'
import { keptRow } from '#lib/platform/settings/setting-rows.ts'
import type { OwnSentences } from '#lib/words/sentences.ts'

/** The row of this key has the merchant's own sentences by language. */
export const sentencesKey = 'customer-sentences'

export type SentencesByLanguage = Readonly<Partial<Record<Language, OwnSentences>>>

const StoredSchema = z.record(z.string(), z.record(z.string(), z.string())).catch({})

/** The function reads the sentences of a row. An unreadable row counts as empty. */
export const toSentences = (value: unknown): SentencesByLanguage => StoredSchema.parse(value ?? {})

const row = keptRow(sentencesKey, toSentences)

export const readOwnSentences = row.read
export const readStoredSentences = row.readStored
