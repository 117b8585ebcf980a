import { Time } from '#components/ui/time.tsx'
import type { GapView } from '#lib/endpoints/gaps/gap-view.ts'

/** The text is "since 13:58:02", or "between 13:58:02 and 14:21:40". */
export function GapTime({ gap }: { readonly gap: Pick<GapView, 'beganAt' | 'endedAt'> }) {
  if (gap.endedAt === null) {
    return (
      <>
        since <Time at={gap.beganAt} style="clock" />
      </>
    )
  }
  return (
    <>
      between <Time at={gap.beganAt} style="clock" /> and <Time at={gap.endedAt} style="clock" />
    </>
  )
}
