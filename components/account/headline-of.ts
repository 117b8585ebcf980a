import { customerHeadline } from '#lib/labels/customer-labels.ts'
import { headlineFacts } from '../headline-facts.ts'

type Facts = Omit<Parameters<typeof headlineFacts>[0], 'flags'>

/** What happened to a transaction, in one sentence for its owner. */
export const headlineOf = (transaction: Facts): string =>
  customerHeadline(headlineFacts({ ...transaction, flags: [] }))
