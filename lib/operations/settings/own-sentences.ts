import 'server-only'
import { z } from 'zod'
import type { Language } from '#lib/platform/rules/language.ts'
import { keptRow } from '#lib/platform/settings/setting-rows.ts'
import type { OwnSentences } from '#lib/words/sentences.ts'

/** The key of the row that holds what the merchant says in their own words, by language. */
export const sentencesKey = 'customer-sentences'

export type SentencesByLanguage = Readonly<Partial<Record<Language, OwnSentences>>>

const StoredSchema = z.record(z.string(), z.record(z.string(), z.string())).catch({})

/** Sentences of a row; what cannot be read counts as none. */
export const toSentences = (value: unknown): SentencesByLanguage => StoredSchema.parse(value ?? {})

const row = keptRow(sentencesKey, toSentences)

/** The merchant's own sentences. */
export const readOwnSentences = row.read
export const readStoredSentences = row.readStored
