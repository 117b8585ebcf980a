import { type CustomerWords, customerHeadline } from '#lib/labels/customer-labels.ts'
import { headlineFacts } from '../headline-facts.ts'

type Facts = Omit<Parameters<typeof headlineFacts>[0], 'flags'> & { readonly conflict: boolean }

/** What happened to a transaction, in one sentence for its owner. */
export const headlineOf = (words: CustomerWords, { conflict, ...transaction }: Facts): string =>
  customerHeadline(words, headlineFacts({ ...transaction, flags: conflict ? ['conflict'] : [] }))
