import 'server-only'
import { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import { changedMeanwhile, nothingToChange } from '#lib/access/refused-changes.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { InvalidInput, Refused } from '#lib/platform/refusals.ts'
import { type Language, languages } from '#lib/platform/rules/language.ts'
import { ownValue } from '#lib/platform/rules/names.ts'
import { forgetRows, keepSettingRow, settingsChannel } from '#lib/platform/settings/setting-rows.ts'
import {
  placeholdersOf,
  previewSentence,
  readSentence,
  sentenceKeys,
  standardSentence,
} from '#lib/words/sentences.ts'
import { readStoredSentences, sentencesKey, toSentences } from './own-sentences.ts'

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

const PlaceSchema = z.object({
  language: z.enum(languages, 'This is none of the languages.'),
  key: z.string().max(100),
  /** The sentence that a page had shown there. */
  seen: z.string().optional(),
})

export const SentenceSchema = PlaceSchema.extend({ text: z.string().trim() })

export const StandardSentenceSchema = PlaceSchema

/** How a customer would read a text in the place of a sentence. Throws `NotAllowed` and `InvalidInput`. */
export async function showSentence(
  caller: Caller,
  { language, key, text }: z.output<typeof SentenceSchema>,
): Promise<{ readonly preview: string }> {
  requirePermission(caller, 'manage-settings')
  requireSentence(key, text)
  return { preview: previewSentence(language, key, text) }
}

/**
 * Says something to customers in the merchant's own words; this process has them as soon as this has answered, others
 * moments later. The admins are told, once a day of each who does. Throws `NotAllowed`, `SignInAgain`, `InvalidInput`, and `Refused` where somebody else has
 * changed it meanwhile.
 */
export async function saveSentence(
  caller: Caller,
  { text, ...place }: z.output<typeof SentenceSchema>,
  source: CallSource,
): Promise<null> {
  requireSentence(place.key, text)
  return change(caller, place, text, source)
}

/** Says the standard words again. Throws as `saveSentence` does. */
export const restoreSentence = (
  caller: Caller,
  place: z.output<typeof StandardSentenceSchema>,
  source: CallSource,
): Promise<null> => change(caller, place, null, source)

function requireSentence(key: string, text: string): void {
  const check = readSentence(key, text)
  if (check.kind === 'refused') throw new InvalidInput({ text: check.why })
}

/** `text` is null for the standard words. */
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
    if (before === after && (seen === undefined || seen === after)) throw new Refused(nothingToChange)
    if (before === after) return
    if (seen !== undefined && seen !== before) throw new Refused(changedMeanwhile)
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

/** Two changes at once follow each other: each keeps what the other said. */
const HOLD = `
  INSERT INTO setting AS known (key, value) VALUES ($1, '{}')
  ON CONFLICT (key) DO UPDATE SET value = known.value RETURNING value`
