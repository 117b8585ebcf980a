import { accessRefusals } from '#lib/access/labels/refusals.ts'
import { auditRefusals } from '#lib/audit/labels/refusals.ts'
import { endpointsRefusals } from '#lib/endpoints/labels/refusals.ts'
import { identityRefusals } from '#lib/identity/labels/refusals.ts'
import { operationsRefusals } from '#lib/operations/labels/refusals.ts'
import { peopleRefusals } from '#lib/people/labels/refusals.ts'
import { platformRefusals, type RefusalWords } from '#lib/platform/labels/refusals.ts'
import type { Language } from '#lib/platform/rules/language.ts'
import { ownValue } from '#lib/platform/rules/names.ts'
import { searchRefusals } from '#lib/search/labels/refusals.ts'
import { serviceRefusals } from '#lib/service/labels/refusals.ts'
import { transactionsRefusals } from '#lib/transactions/labels/refusals.ts'
import { catalogues } from '../messages/catalogues.ts'
import type { Catalogue, en } from '../messages/en.ts'
import type { ArgumentsOf } from './translate.ts'

/** Only staff meet these refusals, and staff read English. */
const staffRefusals = {
  ...accessRefusals,
  ...auditRefusals,
  ...endpointsRefusals,
  ...identityRefusals,
  ...operationsRefusals,
  ...peopleRefusals,
  ...platformRefusals,
  ...searchRefusals,
  ...serviceRefusals,
  ...transactionsRefusals,
} as const

/** Customers meet the refusals of the catalogues, so no language can lack one. */
const textsOf = ({ refusals, signInRefusals }: Catalogue) => ({
  ...staffRefusals,
  ...signInRefusals,
  ...refusals,
})

type English = typeof staffRefusals & typeof en.signInRefusals & typeof en.refusals

/** Every refusal has a code; the type of a table gives its values. */
export type RefusalCode = keyof English

const texts: Readonly<Record<Language, Readonly<Record<RefusalCode, RefusalWords>>>> = {
  en: textsOf(catalogues.en),
  de: textsOf(catalogues.de),
  es: textsOf(catalogues.es),
  fr: textsOf(catalogues.fr),
  pt: textsOf(catalogues.pt),
}

/** A time to wait has its unit in the words of each language. */
export interface WaitTime {
  readonly n: number
  readonly unit: keyof typeof en.waits
}

/** A whole sentence can be part of a refusal, such as the cause of a fault. */
export interface Sentence {
  readonly sentence: keyof typeof en.serviceFaults
  readonly wait?: WaitTime
}

type Value = string | number | WaitTime | Sentence

export type RefusalValues = Readonly<Record<string, Value>>

/** A refusal is a code and the values in its words. It is worded where an answer leaves. */
export interface Refusal {
  readonly code: RefusalCode
  readonly values: RefusalValues
}

/** A call gives the values that the braces of the English words name, if there are any. */
export type ValuesFor<Code extends RefusalCode> = Code extends RefusalCode
  ? Given<NamesIn<English[Code]>>
  : never

type NamesIn<Text extends RefusalWords> = ArgumentsOf<Text['title']> | ArgumentsOf<Text['next']>

type Given<Name extends string> = [Name] extends [never] ? [] : [values: Readonly<Record<Name, Value>>]

export function refusal<Code extends RefusalCode>(code: Code, ...given: ValuesFor<Code>): Refusal {
  const [values = {}]: readonly RefusalValues[] = given
  return { code, values }
}

/** `wordRefusal` words a refusal in this language where customers meet it, else in English. */
export function wordRefusal(language: Language, { code, values }: Refusal): RefusalWords {
  const spoken = Object.hasOwn(staffRefusals, code) ? 'en' : language
  const { title, next } = texts[spoken][code]
  return { title: fill(spoken, title, values), next: fill(spoken, next, values) }
}

/** A sentence that is left out leaves no space behind. */
const fill = (language: Language, text: string, values: RefusalValues): string =>
  text.replaceAll(/\{(\w+)\}/g, (_, name: string) => wordValue(language, ownValue(values, name) ?? '')).trim()

function wordValue(language: Language, value: Value): string {
  if (typeof value !== 'object') return String(value)
  const { waits, serviceFaults } = catalogues[language]
  if ('unit' in value) return fill(language, waits[value.unit], { n: value.n })
  return fill(language, serviceFaults[value.sentence], value.wait ? { wait: value.wait } : {})
}

/** Only staff read this sentence. */
export type EnglishSentence = `${string} ${string}`

/** A field has one sentence: a code where customers read it, else English. */
export type FieldMessage = FieldCode | EnglishSentence

type FieldCode = keyof typeof en.fields

/** The schema of a form that customers fill in gives this as its message. */
export const fieldCode = (code: FieldCode): FieldCode => code

/** `wordField` gives the sentence beside a field. A sentence without a code stays as it is. */
export const wordField = (language: Language, message: string): string =>
  ownValue<string>(catalogues[language].fields, message) ?? message
