import Link from 'next/link'
import type { ReactNode } from 'react'
import { refusalReasons } from '#lib/domain/receiver/refusal-reasons.ts'
import type { EndpointView, ReceiverView } from '#lib/endpoints/endpoint-view.ts'
import { counted } from '../gaps/gap-labels.ts'
import { refusalReasonsMessage, refusalRemedy } from '../gaps/refusal-labels.ts'
import { RefreshEvery } from '../live/refresh-every.tsx'
import { Callout } from '../ui/callout.tsx'
import { Time } from '../ui/time.tsx'
import { repairMessages } from './endpoint-labels.ts'

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
      {status === 'auto_disabled' && (
        <Callout
          kind="error"
          title={<span className="text-base">The service switched this endpoint off.</span>}
          className="border border-fail px-5 py-4"
          actions={activate}
        >
          Nothing is delivered to it until an admin sets it to active.
          {ours && ' Deliveries may be missing since then. Find out why before you activate it.'}
        </Callout>
      )}
      {status !== 'active' && status !== 'auto_disabled' && (
        <Callout title={stateMessage(status)} actions={activate}>
          Nothing is delivered to it until an admin sets it to active.
        </Callout>
      )}
      {repair && (
        <Callout kind="warning" title={repairMessages[repair].title} actions={repairButton}>
          {repairMessages[repair].why}
          {!repairButton && ' An admin can repair it.'}
        </Callout>
      )}
      {shownAt && (
        <Callout
          kind="warning"
          title={
            replaces ? 'This endpoint is to replace another one.' : 'Is its secret stored where it belongs?'
          }
          actions={confirm}
        >
          Its secret was shown <Time at={shownAt} />, <Time at={shownAt} style="clock" />, and is not kept
          here.{' '}
          {replaces ? (
            <>
              Deploy it beside the old one, then confirm:{' '}
              <Link href={`/endpoints/${replaces}`} className="underline hover:text-text">
                the old endpoint
              </Link>{' '}
              is deleted. If it was lost, rotate it.
            </>
          ) : (
            'If it was lost, rotate it.'
          )}
        </Callout>
      )}
      {replacedBy && (
        <Callout title="This endpoint is being replaced.">
          It delivers until{' '}
          <Link href={`/endpoints/${replacedBy}`} className="underline hover:text-text">
            its replacement
          </Link>{' '}
          is confirmed there.
        </Callout>
      )}
      {receiver && receiver.refused > 0 && <RefusedDeliveries receiver={receiver} />}
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

/** What was not taken, why, whether it comes again, and what helps. */
function RefusedDeliveries({ receiver }: { readonly receiver: ReceiverView }) {
  const { refused, refusedSince, reasons } = receiver
  const comeAgain = reasons.every(({ why }) => why !== null && refusalReasons[why] === 'deferred')
  return (
    <Callout
      kind={comeAgain ? 'warning' : 'error'}
      title={`${counted(refused, 'delivery was', 'deliveries were')} not taken in the last 24 hours.`}
    >
      {refusedSince && (
        <>
          Since <Time at={refusedSince} style="clock" />:{' '}
        </>
      )}
      {refusalReasonsMessage(reasons)}.{' '}
      {comeAgain
        ? 'The service sends each up to six times more, and what is taken then is not lost. If it goes on: '
        : 'If it goes on: '}
      {refusalRemedy(reasons) ?? 'ask the provider.'}
    </Callout>
  )
}

/** A state that the service has added since is shown as it is. */
const stateMessage = (status: string) =>
  status === 'disabled' ? 'This endpoint is disabled.' : `The service says of this endpoint: ${status}.`
