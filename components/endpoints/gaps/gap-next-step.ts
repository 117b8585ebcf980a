import type { GapDetailsView } from '#lib/endpoints/gaps/get-gap.ts'
import { counted } from '#lib/words/labels/in-sentence.ts'
import { refusalRemedy } from './refusal-labels.ts'

type Gap = Pick<
  GapDetailsView,
  'kind' | 'closed' | 'endedAt' | 'otherEndpoints' | 'reasons' | 'retries' | 'unheard' | 'total'
>

/**
 * What to do about a gap, in a sentence or two; null when it is closed, or lasts and has no unaccounted
 * transactions. Failed deliveries are retried (§6.8).
 * @param now in ms since 1970
 */
export function gapNextStep(gap: Gap, now: number): string | null {
  const { closed, endedAt, unheard, total } = gap
  if (closed) return null
  if (areRetriesPending(gap, now))
    return gap.kind === 'deferred'
      ? 'Nothing is lost: what failed in it comes again by itself, and the gap closes when that has gone well.'
      : 'What failed in it comes again by itself: wait for that, then look here once more.'
  if (gap.kind === 'deferred' && endedAt === null)
    return `${refusalRemedy(gap.reasons) ?? 'Find out why.'} What is taken within 18 h 40 min of its first attempt is not lost.`
  const covering = gap.otherEndpoints.find(({ isFullSubstitute }) => isFullSubstitute)
  if (covering?.hadGap)
    return `If all that “${covering.name}” missed in that time has come since, nothing should be missing. Then an admin can close it.`
  if (covering)
    return `If “${covering.name}” was active and subscribed to the same events all that time, nothing should be missing. Then an admin can close it.`
  if (gap.kind === 'restored')
    return 'What began in it is not known here: ask the provider to send its notifications again. “Copy for provider” has the words. An admin can close it with what was found.'
  if (unheard > 0) {
    const them = `${total.exact ? '' : 'more than '}${counted(unheard, 'transaction', 'transactions')}`
    return endedAt === null
      ? `While it lasts, ask the provider about the ${them} that may have moved on. “Copy for provider” names them.`
      : `Ask the provider about the ${them} of which nothing was heard since. “Copy for provider” names them.`
  }
  if (endedAt === null) return null
  return total.count > 0
    ? 'Every transaction that was open in it has been heard of since. An admin can close it with what was found.'
    : 'What began in it may not be known here: compare with what the provider knows. An admin can close it with what was found.'
}

/** Whether retries may still fill it. */
export const areRetriesPending = ({ retries }: Pick<Gap, 'retries'>, now: number): boolean =>
  retries !== null && typeof retries === 'object' && Date.parse(retries.until) > now
