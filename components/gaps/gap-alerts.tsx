import type { GapPage } from '#lib/gaps/list-gaps.ts'
import { ButtonLink } from '../ui/button.tsx'
import { Callout } from '../ui/callout.tsx'
import { gapSeverity, gapTitle, otherEndpointsMessage } from './gap-labels.ts'
import { GapTime } from './gap-time.tsx'

/** Says that deliveries may be missing, the gaps that last first and aloud; nothing when none is open. */
export function GapAlerts({ gaps, className }: { readonly gaps: GapPage; readonly className?: string }) {
  const lasting = gaps.rows.filter(({ endedAt }) => endedAt === null)
  const ended = gaps.rows.filter(({ endedAt }) => endedAt !== null)
  const [latest] = ended
  if (gaps.rows.length === 0) return null
  return (
    <div className={className}>
      <div className="grid gap-3">
        {lasting.map((gap) => (
          <Callout
            key={gap.id}
            kind={gapSeverity(gap)}
            title={
              <>
                Deliveries may be missing <GapTime gap={gap} />
              </>
            }
            actions={<ButtonLink href={`/gaps/${gap.id}`}>Open the gap</ButtonLink>}
          >
            {gapTitle(gap)}. {otherEndpointsMessage(gap)}
          </Callout>
        ))}
        {latest && (
          <Callout
            kind={ended.every((gap) => gapSeverity(gap) === 'info') ? 'info' : 'warning'}
            title={
              <>
                Deliveries may be missing <GapTime gap={latest} />
              </>
            }
            actions={
              <ButtonLink href={ended.length === 1 ? `/gaps/${latest.id}` : '/gaps'}>
                {ended.length === 1 ? 'Open the gap' : 'Show the gaps'}
              </ButtonLink>
            }
          >
            {gapTitle(latest)}. {otherEndpointsMessage(latest)}
            {ended.length > 1 && ` Earlier gaps that nobody has closed: ${more(ended.length - 1, gaps)}.`}
          </Callout>
        )}
      </div>
    </div>
  )
}

const more = (count: number, { next }: GapPage) => (next ? `more than ${count}` : String(count))
