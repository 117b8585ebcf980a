import type { ReactNode } from 'react'
import { Callout, type CalloutKind } from '#components/ui/callout.tsx'
import type { GapView } from '#lib/endpoints/gaps/gap-view.ts'
import { isCovered } from '#lib/endpoints/rules/gap-severity.ts'
import { MissingDeliveries } from './gap-lead.tsx'
import { GapTime } from './gap-time.tsx'

/** Says when deliveries may be missing, or that another endpoint was sent the same; what it means for the page stands in it. */
export const GapCallout = ({
  gap,
  kind,
  actions,
  children,
}: {
  readonly gap: GapView
  readonly kind: CalloutKind
  readonly actions: ReactNode
  readonly children: ReactNode
}) => (
  <Callout
    kind={kind}
    title={
      isCovered(gap) ? (
        <>
          One endpoint may have missed deliveries <GapTime gap={gap} />; another was sent the same events
        </>
      ) : (
        <MissingDeliveries gap={gap} />
      )
    }
    actions={actions}
  >
    {children}
  </Callout>
)
