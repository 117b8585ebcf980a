import 'server-only'
import type { ActionState } from '#lib/platform/forms/action-state.ts'
import type { Language } from '#lib/platform/rules/language.ts'
import { ownValue } from '#lib/platform/rules/names.ts'
import { catalogues } from './catalogues.ts'
import { customerRefusals } from './messages/sign-in-refusals.ts'

/**
 * `translateAnswer` translates the texts of an action's answer. A text that the catalogue does not know stays in English.
 */
export function translateAnswer<T>(language: Language, answer: ActionState<T>): ActionState<T> {
  if (answer.kind === 'refused') return { ...answer, ...translateRefusal(language, answer) }
  if (answer.kind !== 'invalid') return answer
  const fields = Object.entries(answer.fields).map(([name, text]) => [name, translateText(language, text)])
  return { ...answer, fields: Object.fromEntries(fields) }
}

/** `translateRefusal` translates the two texts of one refusal. */
export const translateRefusal = (language: Language, { title, next }: { title: string; next: string }) => ({
  title: translateText(language, title),
  next: translateText(language, next),
})

/** The text is translated sentence by sentence. All of it stays in English when one of its sentences is not known. */
function translateText(language: Language, text: string): string {
  if (language === 'en') return text
  const sentences: string[] = []
  for (let rest = text; rest !== ''; ) {
    const found = sentencesIn(language).find(({ english }) => english.test(rest))
    const match = found?.english.exec(rest)
    if (!found || !match) return text
    sentences.push(found.own.replace(/\{\w+\}/, () => match[1] ?? ''))
    rest = rest.slice(match[0].length)
  }
  return sentences.join(' ')
}

interface Sentence {
  /** The pattern matches the English sentence at the beginning of a text. */
  readonly english: RegExp
  readonly own: string
}

const known = new Map<Language, readonly Sentence[]>()

/** Longer sentences come first, because one sentence may begin like another. */
function sentencesIn(language: Language): readonly Sentence[] {
  const { answers, signInRefusals } = catalogues[language]
  const made =
    known.get(language) ??
    [
      ...pairsOf(catalogues.en.answers, answers),
      ...Object.keys(customerRefusals).flatMap((code) =>
        pairsOf(Reflect.get(customerRefusals, code), Reflect.get(signInRefusals, code)),
      ),
    ]
      .toSorted(([one], [other]) => other.length - one.length)
      .map(([english, own]) => ({ english: patternOf(english), own }))
  known.set(language, made)
  return made
}

const pairsOf = (english: Readonly<Record<string, string>>, own: Readonly<Record<string, string>>) =>
  Object.entries(english).map(([key, text]) => [text, ownValue(own, key) ?? text] as const)

/** The pattern accepts a number, a reference or an address in place of the braces of the English sentence. */
const patternOf = (english: string) =>
  new RegExp(
    `^${english.replaceAll(/[.?*+^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '(\\S+?)')}(?: |$)`,
    'u',
  )
