import { cache } from 'react'
import { readLanguage } from '#lib/auth/read-language.ts'
import type { CustomerWords } from '#lib/labels/customer-labels.ts'
import { readOwnSentences } from '#lib/settings/own-sentences.ts'
import { customerWords } from '#lib/words/customer-words.ts'

/** The words for whoever asks, in their language, with the merchant's own sentences. */
export const readWords: () => Promise<CustomerWords> = cache(async () => {
  const [language, own] = await Promise.all([readLanguage(), readOwnSentences()])
  return customerWords(language, own[language])
})
