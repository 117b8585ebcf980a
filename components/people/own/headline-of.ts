import { headlineFacts } from '#components/timeline/headline-facts.ts'
import { type CustomerWords, customerHeadline } from '#lib/words/labels/customer-labels.ts'

type Facts = Omit<Parameters<typeof headlineFacts>[0], 'flags'> & { readonly conflict: boolean }

/** What happened to a transaction, in one sentence for its owner. */
export const headlineOf = (words: CustomerWords, { conflict, ...transaction }: Facts): string =>
  customerHeadline(words, headlineFacts({ ...transaction, flags: conflict ? ['conflict'] : [] }))
