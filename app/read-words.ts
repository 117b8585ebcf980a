import { cache } from 'react'
import { readLanguage } from '#lib/identity/sessions/read-request.ts'
import { readOwnSentences } from '#lib/operations/settings/sentences.ts'
import { env } from '#lib/platform/env.ts'
import { languages } from '#lib/platform/rules/language.ts'
import type { CustomerWords } from '#lib/words/labels/customer-labels.ts'
import { customerWords } from '#lib/words/sentences.ts'

/** The words are in the caller's language, with the merchant's own sentences. */
export const readWords: () => Promise<CustomerWords> = cache(async () => {
  const [language, own] = await Promise.all([readLanguage(), readOwnSentences()])
  return customerWords(language, own[language])
})

/** Staff tell customers in these words, one catalogue for each language. */
export const readWordsOfAll: () => Promise<readonly [CustomerWords, ...CustomerWords[]]> = cache(async () => {
  const own = await readOwnSentences()
  const [first, ...others] = languages
  return [customerWords(first, own[first]), ...others.map((one) => customerWords(one, own[one]))]
})

/** Search engines and link previews show this sentence. */
export const whatItIs = 'The merchant’s own dashboard: paste a transaction and know what happened.'

/** The title of a page begins with the environment, so that tabs of two installations differ. */
export function titleOf(text: string): string {
  const { environment } = env()
  return environment === null ? text : `${environment.name} · ${text}`
}
