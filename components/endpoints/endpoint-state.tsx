import type { ReactNode } from 'react'
import type { EndpointView } from '#lib/endpoints/endpoint-view.ts'
import { RefreshEvery } from '../live/refresh-every.tsx'
import { Callout } from '../ui/callout.tsx'
import { repairMessages } from './endpoint-labels.ts'
import { RefusedDeliveries } from './refused-deliveries.tsx'
import { BeingReplaced, UnconfirmedSecret } from './secret-handoff-callouts.tsx'

/** What is special about an endpoint's state, loudest first, and what to do about it. */
export function EndpointState({
  endpoint,
  sandboxUrl,
  activate,
  repair: repairButton,
  confirm,
}: {
  readonly endpoint: EndpointView
  readonly sandboxUrl: string | null
  /** The button that sets it to active; null for those who may not. */
  readonly activate: ReactNode
  /** The button that repairs it; null for those who may not. */
  readonly repair: ReactNode
  /** The button that says that a shown secret is stored or deployed; null for those who may not. */
  readonly confirm: ReactNode
}) {
  const { status, repair, receiver, ours, shownAt, replaces, replacedBy } = endpoint
  return (
    <>
      {status !== 'active' && <NotActive status={status} ours={ours} activate={activate} />}
      {repair && (
        <Callout kind="warning" title={repairMessages[repair].title} actions={repairButton}>
          {repairMessages[repair].why}
          {!repairButton && ' An admin can repair it.'}
        </Callout>
      )}
      {shownAt && <UnconfirmedSecret shownAt={shownAt} replaces={replaces} confirm={confirm} />}
      {replacedBy && <BeingReplaced by={replacedBy} />}
      {receiver && receiver.refused > 0 && <RefusedDeliveries receiver={receiver} />}
      {ours && status === 'active' && receiver && !receiver.lastDeliveryAt && !repair && (
        <WaitingForFirst sandboxUrl={sandboxUrl} />
      )}
    </>
  )
}

function NotActive({
  status,
  ours,
  activate,
}: Pick<EndpointView, 'status' | 'ours'> & { readonly activate: ReactNode }) {
  if (status !== 'auto_disabled') {
    return (
      <Callout title={stateMessage(status)} actions={activate}>
        Nothing is delivered to it until an admin sets it to active.
      </Callout>
    )
  }
  return (
    <Callout
      kind="error"
      title={<span className="text-base">The service switched this endpoint off.</span>}
      className="border border-fail px-5 py-4"
      actions={activate}
    >
      Nothing is delivered to it until an admin sets it to active.
      {ours && ' Deliveries may be missing since then. Find out why before you activate it.'}
    </Callout>
  )
}

/** A state that the service has added since is shown as it is. */
const stateMessage = (status: string) =>
  status === 'disabled' ? 'This endpoint is disabled.' : `The service says of this endpoint: ${status}.`

function WaitingForFirst({ sandboxUrl }: { readonly sandboxUrl: string | null }) {
  return (
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
  )
}
