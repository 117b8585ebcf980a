import type { ReactNode } from 'react'
import type { EndpointView } from '#lib/endpoints/endpoint-view.ts'
import { Callout } from '../ui/callout.tsx'
import { Time } from '../ui/time.tsx'
import { repairWords } from './endpoint-words.ts'
import { RefreshEvery } from './refresh-every.tsx'

/** What is special about an endpoint's state, loudest first, and what to do about it. */
export function EndpointState({
  endpoint,
  sandboxUrl,
  takeOver,
}: {
  readonly endpoint: EndpointView
  readonly sandboxUrl: string | null
  /** The button that takes it over; null for those who may not. */
  readonly takeOver: ReactNode
}) {
  const { status, repair, receiver, ours } = endpoint
  return (
    <>
      {status === 'auto_disabled' && (
        <Callout
          kind="error"
          title={<span className="text-base">The service switched this endpoint off.</span>}
          className="border border-fail px-5 py-4"
        >
          Nothing is delivered to it until an admin sets it to active.
          {ours && ' Deliveries may be missing since then. Find out why before you activate it.'}
        </Callout>
      )}
      {status === 'disabled' && (
        <Callout title="This endpoint is disabled.">
          Nothing is delivered to it until an admin sets it to active.
        </Callout>
      )}
      {repair && (
        <Callout kind="warning" title={repairWords[repair].title} actions={takeOver}>
          {repairWords[repair].why}
          {takeOver ? ' Taking it over repairs that.' : ' An admin can take it over.'}
        </Callout>
      )}
      {receiver && receiver.refused > 0 && (
        <Callout kind="error" title={`${receiver.refused} refused in the last 24 hours`}>
          {receiver.refusedSince && (
            <>
              Since <Time at={receiver.refusedSince} style="clock" />:{' '}
            </>
          )}
          their secret was not the current one. If it goes on, rotate the secret.
        </Callout>
      )}
      {ours && status === 'active' && receiver && !receiver.lastDeliveryAt && !repair && (
        <Callout title="Waiting for the first delivery">
          <RefreshEvery seconds={3} />
          The endpoint is ready. It arrives here as soon as something happens at the service.
          {sandboxUrl && (
            <>
              {' '}
              <a href={sandboxUrl} target="_blank" rel="noreferrer" className="underline hover:text-text">
                Play a transaction in the sandbox
              </a>{' '}
              to see one.
            </>
          )}
        </Callout>
      )}
    </>
  )
}
