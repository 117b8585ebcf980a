import type { GapPage } from '#lib/gaps/list-gaps.ts'
import { ButtonLink } from '../ui/button.tsx'
import { Callout } from '../ui/callout.tsx'
import { GapTime } from './gap-time.tsx'
import { titleOfGap } from './gap-words.ts'

/** On a transaction that was open in gaps which nobody has closed: its status, or a step of it, may be missing here. */
export function GapOfTransaction({ gaps, finished }: { readonly gaps: GapPage; readonly finished: boolean }) {
  const gap = gaps.rows.find(({ endedAt }) => endedAt === null) ?? gaps.rows[0]
  if (!gap) return null
  return (
    <Callout
      kind={finished ? 'info' : 'warning'}
      className="mt-4"
      title={
        <>
          Deliveries may be missing <GapTime gap={gap} />
        </>
      }
      actions={
        <ButtonLink size="sm" href={`/gaps/${gap.id}`}>
          Open the gap
        </ButtonLink>
      }
    >
      {titleOfGap(gap)}.{' '}
      {finished
        ? 'It has finished; steps on the way may not have arrived.'
        : 'It may have moved on without a word of it here.'}
    </Callout>
  )
}
