import { Pill, Tag } from '#components/ui/pill.tsx'
import { Time } from '#components/ui/time.tsx'
import type { EndpointView } from '#lib/endpoints/endpoints.ts'
import { endpointStatusLabel } from './endpoint-labels.ts'

/** The tag says which endpoint is the new one and which the old one while both deliver. Other endpoints have no tag. */
export function TwinTag({ endpoint }: { readonly endpoint: Pick<EndpointView, 'replaces' | 'replacedBy'> }) {
  const { replaces, replacedBy } = endpoint
  if (replaces) return <Tag className="shrink-0">new · confirm</Tag>
  if (replacedBy) return <Tag className="shrink-0">old · until confirmed</Tag>
  return null
}

interface Since {
  readonly since: EndpointView['statusSince']
}

/** The sentence is for a callout and ends with a space. Nothing is shown when the time is unknown. */
export const HasBeenOff = ({ since }: Since) =>
  since && (
    <>
      Off <OffSince since={since} />.{' '}
    </>
  )

/**
 * The text gives the time since when the endpoint has its status, as exactly as it was seen. Nothing is shown when
 * that is unknown.
 */
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
  if (Date.parse(by) - Date.parse(after) <= 2 * 60_000) {
    return (
      <>
        since about <Time at={by} style="minute" className="num" />
      </>
    )
  }
  return (
    <>
      since a time between <Time at={after} style="clock" className="num" /> and{' '}
      <Time at={by} style="clock" className="num" />
    </>
  )
}

/** Time zones differ by whole minutes, so the minute is the same in all of them. */
const minuteOf = (at: string): number => Math.floor(Date.parse(at) / 60_000)

export function EndpointStatusPill({ status }: { readonly status: string }) {
  const { label, tone } = endpointStatusLabel(status)
  return (
    <Pill tone={tone} className="whitespace-nowrap">
      {label}
    </Pill>
  )
}
