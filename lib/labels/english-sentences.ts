import type { CustomerWords } from './customer-labels.ts'
import type { en } from './messages/en.ts'
import { englishSentences as sentences } from './messages/sentences.ts'
import { wordsOf } from './translate.ts'

/** What customers read of steps and accounts in English, for staff who tell them. Sentences without placeholders alone. */
export const englishSentences: CustomerWords = wordsOf<typeof en>('en', sentences)
