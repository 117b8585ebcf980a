import { Tag } from '#components/ui/pill.tsx'
import { Time } from '#components/ui/time.tsx'
import type { EndpointView } from '#lib/endpoints/endpoint-view.ts'

/** Which of the two it is, while an endpoint and its replacement both deliver; nothing for others. */
export function TwinTag({ endpoint }: { readonly endpoint: Pick<EndpointView, 'replaces' | 'replacedBy'> }) {
  const { replaces, replacedBy } = endpoint
  if (replaces) return <Tag className="shrink-0">new · confirm</Tag>
  if (replacedBy) return <Tag className="shrink-0">old · until confirmed</Tag>
  return null
}

interface Since {
  readonly since: EndpointView['statusSince']
}

/** A sentence for a callout, with the space after it; nothing when the time is not known. */
export const HasBeenOff = ({ since }: Since) =>
  since && (
    <>
      It has been off <OffSince since={since} />.{' '}
    </>
  )

/** Since when it is in the state that it is in, as nearly as it was seen; nothing when that is not known. */
export function OffSince({ since }: Since) {
  if (since === null) return null
  const { after, by } = since
  if (after === null) {
    return (
      <>
        since before <Time at={by} style="minute" className="num" />
      </>
    )
  }
  if (minuteOf(after) === minuteOf(by)) {
    return (
      <>
        since <Time at={by} style="minute" className="num" />
      </>
    )
  }
  return (
    <>
      since some time between <Time at={after} style="clock" className="num" /> and{' '}
      <Time at={by} style="clock" className="num" />
    </>
  )
}

/** Zones differ from each other by whole minutes. */
const minuteOf = (at: string): number => Math.floor(Date.parse(at) / 60_000)
