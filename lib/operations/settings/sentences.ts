import 'server-only'
import { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { InvalidInput, Refused } from '#lib/platform/refusals.ts'
import { type Language, languages } from '#lib/platform/rules/language.ts'
import { ownValue } from '#lib/platform/rules/names.ts'
import { forgetRows, keepSettingRow, keptRow, settingsChannel } from '#lib/platform/settings/settings.ts'
import {
  type OwnSentences,
  placeholdersOf,
  previewSentence,
  readSentence,
  sentenceKeys,
  standardSentence,
} from '#lib/words/sentences.ts'

/** The row of this key has the merchant's own sentences by language. */
const sentencesKey = 'customer-sentences'

type SentencesByLanguage = Readonly<Partial<Record<Language, OwnSentences>>>

const StoredSchema = z.record(z.string(), z.record(z.string(), z.string())).catch({})

/** The function reads the sentences of a row. An unreadable row counts as empty. */
const toSentences = (value: unknown): SentencesByLanguage => StoredSchema.parse(value ?? {})

const row = keptRow(sentencesKey, toSentences)

export const readOwnSentences = row.read
const readStoredSentences = row.readStored

/** An admin sees a sentence for customers in this form. */
export interface SentenceView {
  readonly key: string
  readonly standard: string
  /** The own sentence is null when the standard one is used. */
  readonly own: string | null
  /** The preview shows the sentence in use, with invented amounts. */
  readonly preview: string
  /** The sentence may contain these names in braces. */
  readonly placeholders: readonly string[]
}

/** `listSentences` lists all sentences of a language, in the order in which things happen. It throws `NotAllowed`. */
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

const PlaceSchema = z.object({
  language: z.enum(languages, 'This is none of the languages.'),
  key: z.string().max(100),
  /** The page had shown this sentence. */
  seen: z.string().optional(),
})

export const SentenceSchema = PlaceSchema.extend({ text: z.string().trim() })

export const StandardSentenceSchema = PlaceSchema

/** `showSentence` previews a text in place of a sentence. It throws `NotAllowed` and `InvalidInput`. */
export async function showSentence(
  caller: Caller,
  { language, key, text }: z.output<typeof SentenceSchema>,
): Promise<{ readonly preview: string }> {
  requirePermission(caller, 'manage-settings')
  requireSentence(key, text)
  return { preview: previewSentence(language, key, text) }
}

/**
 * `saveSentence` replaces a sentence for customers. This process has it as soon as it returns, and others moments
 * later. Admins are told once a day for each author. It throws `NotAllowed`, `SignInAgain`, `InvalidInput`, and
 * `Refused` when somebody else changed the sentence meanwhile.
 */
export async function saveSentence(
  caller: Caller,
  { text, ...place }: z.output<typeof SentenceSchema>,
  source: CallSource,
): Promise<null> {
  requireSentence(place.key, text)
  return change(caller, place, text, source)
}

/** `restoreSentence` restores the standard sentence. It throws the same errors as `saveSentence`. */
export const restoreSentence = (
  caller: Caller,
  place: z.output<typeof StandardSentenceSchema>,
  source: CallSource,
): Promise<null> => change(caller, place, null, source)

function requireSentence(key: string, text: string): void {
  const check = readSentence(key, text)
  if (check.kind === 'refused') throw new InvalidInput({ text: check.why })
}

/** `text` is null for the standard sentence. */
async function change(
  caller: Caller,
  { language, key, seen }: z.output<typeof PlaceSchema>,
  text: string | null,
  source: CallSource,
): Promise<null> {
  requirePermission(caller, 'manage-settings')
  requireFreshSignIn(caller)
  const standard = standardSentence(language, key)
  if (standard === null) throw new InvalidInput({ text: 'There is no such sentence.' })
  await inTransaction(pool(), async (tx) => {
    const { rows } = await tx.query<{ value: unknown }>(HOLD, [sentencesKey])
    const kept = toSentences(rows[0]?.value)
    const { [key]: own, ...others } = kept[language] ?? {}
    const before = own ?? standard
    const after = text ?? standard
    if (before === after && (seen === undefined || seen === after)) throw new Refused('nothing-to-change')
    if (before === after) return
    if (seen !== undefined && seen !== before) throw new Refused('changed-meanwhile')
    const sentences = after === standard ? others : { ...others, [key]: after }
    await keepSettingRow(tx, sentencesKey, { ...kept, [language]: sentences })
    await recordAudit(
      tx,
      {
        actor: caller,
        action: 'settings.sentence',
        target: `${language} ${key}`,
        outcome: 'done',
        change: { before: { text: before }, after: { text: after } },
      },
      source,
    )
    await tellAdmins(tx, { kind: 'words-changed', actor: caller, onceADay: true })
    await tx.query('SELECT pg_notify($1, $2)', [settingsChannel, ''])
  })
  forgetRows()
  return null
}

/** Concurrent changes run one after the other, so that each keeps the other's change. */
const HOLD = `
  INSERT INTO setting AS known (key, value) VALUES ($1, '{}')
  ON CONFLICT (key) DO UPDATE SET value = known.value RETURNING value`
