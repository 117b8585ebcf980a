import { SearchX } from 'lucide-react'
import type { ReactNode } from 'react'
import { CheckEndpoints } from '#components/endpoints/check-endpoints.tsx'
import { GapTime } from '#components/endpoints/gaps/gap-callout.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { Link } from '#components/ui/link.tsx'
import { Time } from '#components/ui/time.tsx'
import type { Absence } from '#lib/search/found.ts'
import { eventTypeLabel } from '#lib/timeline/labels/event-type-labels.ts'
import { counted } from '#lib/words/labels/formats.ts'

/**
 * Nothing was found. The text says what that may mean, since the thing itself may well exist, with the known facts
 * of this installation.
 */
export function NothingFound({
  heading = 'h2',
  title,
  sandboxUrl,
  absence = null,
  action,
  children,
}: {
  readonly heading?: 'h1' | 'h2'
  readonly title: ReactNode
  readonly sandboxUrl: string | null
  readonly absence?: Absence | null
  readonly action?: ReactNode
  /** `children` say how to search in another way. */
  readonly children?: ReactNode
}) {
  return (
    <EmptyState
      icon={SearchX}
      heading={heading}
      title={title}
      action={
        <>
          {action}
          <CheckEndpoints />
        </>
      }
    >
      {children && <p className="mb-3">{children}</p>}
      <p>It may still exist. {absence ? 'What we know:' : 'It is missing here when'}</p>
      <ul className="mt-2 list-disc space-y-1 pl-5 text-left">
        {absence ? (
          <Facts {...absence} />
        ) : (
          <>
            <li>it belongs to another environment{sandboxUrl && ', and not to the sandbox'}</li>
            <li>it happened before an endpoint pointed to this dashboard</li>
            <li>the endpoint is not subscribed to its type, or was switched off</li>
          </>
        )}
        <li>
          {absence ? 'A delivery may be on its way' : 'the delivery has not arrived yet'}: the provider tries
          again for up to 19 hours
        </li>
      </ul>
    </EmptyState>
  )
}

function Facts({ service, sandbox, since, oldest, missingTypes, gaps, openGaps }: Absence) {
  return (
    <>
      <li>
        You are in {sandbox ? 'the sandbox' : <span className="mono">{service}</span>}; data of other
        environments is not shown
      </li>
      <li>
        <Since since={since} oldest={oldest} />
      </li>
      {missingTypes === null && since !== null && <li>No endpoint that delivers here is active now</li>}
      {missingTypes !== null && missingTypes.length > 0 && (
        <li>Not subscribed: {missingTypes.map((type) => eventTypeLabel(type).label).join(', ')}</li>
      )}
      {gaps.map(({ id, beganAt, endedAt, covered }) => (
        <li key={id} className="py-0.5">
          <Link href={`/gaps/${id}`} className="py-1 underline">
            {covered ? 'One endpoint may have missed deliveries' : 'Deliveries may be missing'}{' '}
            <GapTime gap={{ beganAt, endedAt }} />
          </Link>
        </li>
      ))}
      {openGaps > gaps.length && (
        <li className="py-0.5">
          <Link href="/gaps" className="py-1 underline">
            {counted(openGaps - gaps.length, 'more period', 'more periods')}
          </Link>
        </li>
      )}
    </>
  )
}

/** The text says since when this installation has received events, and how far back imported events go. */
function Since({ since, oldest }: Pick<Absence, 'since' | 'oldest'>) {
  const from = oldest && <Time at={oldest} style="minute" />
  if (since === null)
    return from ? (
      <>No endpoint has pointed here yet. Events were imported back to {from}</>
    ) : (
      'No endpoint has pointed here yet'
    )
  if (since === 'unknown')
    return from ? (
      <>It is not known since when events arrive here. The oldest is from {from}</>
    ) : (
      'It is not known since when events arrive here'
    )
  const began = <Time at={since.at} style="minute" />
  return from ? (
    <>
      Events arrive here since {began}. Older ones were imported back to {from}
    </>
  ) : (
    <>Events arrive here since {began}. Older ones are missing</>
  )
}
