import type { ReactNode } from 'react'
import type { GapView } from '#lib/endpoints/gaps/gap-view.ts'
import { isCovered, isFoundWhole } from '#lib/endpoints/rules/gap-severity.ts'
import type { GapOutcome } from '#lib/endpoints/rules/gaps.ts'
import { gapMeaning, otherEndpointsMessage } from './gap-labels.ts'
import { areRetriesPending } from './gap-next-step.ts'
import { GapTime } from './gap-time.tsx'

/**
 * What a gap means, by how it stands: what came of it once it is closed; until then what may be missing, or that it comes again
 * (§6.8), and why.
 * @param now in ms since 1970
 */
export function GapLead({ gap, now }: { readonly gap: GapView; readonly now: number }) {
  if (gap.closed) return <GapFinding gap={gap} />
  return (
    <>
      {isComingAgain(gap, now) ? (
        <>
          Deliveries <GapTime gap={gap} /> come again by themselves.
        </>
      ) : (
        <GapFinding gap={gap} />
      )}{' '}
      {gapMeaning(gap)} {otherEndpointsMessage(gap)}
    </>
  )
}

const isComingAgain = (gap: GapView, now: number) => gap.kind === 'deferred' && areRetriesPending(gap, now)

/** In a sentence: what came of a gap, or what may be missing as long as nobody has closed it. */
export function GapFinding({ gap }: { readonly gap: GapView }) {
  if (gap.closed && !isFoundWhole(gap))
    return (
      <>
        {outcomes[gap.closed.outcome](<GapTime gap={{ ...gap, endedAt: gap.closed.at }} />)}
        {!isCovered(gap) && ' Later ones may be missing.'}
      </>
    )
  const time = <GapTime gap={gap} />
  if (gap.closed) return outcomes[gap.closed.outcome](time)
  if (isCovered(gap)) return <>One endpoint may have missed deliveries {time}.</>
  return (
    <>
      <MissingDeliveries gap={gap} />.
    </>
  )
}

/** Without a full stop: what may be missing, or surely is if there was any, since a backup ends before it. */
export function MissingDeliveries({ gap }: { readonly gap: GapView }) {
  const time = <GapTime gap={gap} />
  if (gap.kind === 'restored')
    return <>Deliveries that were acknowledged {time} are no longer here, and will not be sent again</>
  return <>Deliveries may be missing {time}</>
}

const outcomes = {
  'nothing-missing': (time) => <>It was checked that no deliveries are missing {time}.</>,
  recovered: (time) => <>Deliveries were missing {time}, and have been recovered.</>,
  'some-missing': (time) => <>Deliveries are missing {time}, and stay so.</>,
  'no-gap': (time) => <>What was seen {time} was no gap.</>,
} as const satisfies Record<GapOutcome, (time: ReactNode) => ReactNode>
