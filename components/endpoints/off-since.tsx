import type { EndpointView } from '#lib/endpoints/endpoint-view.ts'
import { Time } from '../ui/time.tsx'

/** Since when it is in the state that it is in, as nearly as it was seen; nothing when that is not known. */
export function OffSince({ since }: { readonly since: EndpointView['statusSince'] }) {
  if (since === null) return null
  if (since.after === null) {
    return (
      <>
        since before <Time at={since.by} style="minute" className="num" />
      </>
    )
  }
  return (
    <>
      since <Time at={since.after} style="minute" className="num" />
    </>
  )
}
