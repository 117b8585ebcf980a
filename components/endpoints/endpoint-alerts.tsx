import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { Callout, type CalloutKind } from '#components/ui/callout.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { Link } from '#components/ui/link.tsx'
import { RefreshEvery } from '#components/ui/live/refresh.tsx'
import type { Alert } from '#components/ui/shared/alert-slot.tsx'
import { Time } from '#components/ui/time.tsx'
import { refusalReasons } from '#lib/deliveries/rules/refusal-reasons.ts'
import type { EndpointView, ReceiverView } from '#lib/endpoints/endpoints.ts'
import { counted, inSentence } from '#lib/words/labels/formats.ts'
import { repairMessages } from './endpoint-labels.ts'
import { HasBeenOff } from './endpoint-status.tsx'
import { refusalReasonsMessage, refusalRemedy } from './gaps/gap-labels.ts'

/** The alert says what may be missing because of the endpoint, and links to it. */
export interface MissingHere {
  readonly words: ReactNode
  readonly actions: ReactNode
  /** `isSettled` makes the alert less urgent: nobody has to look for missing deliveries. */
  readonly isSettled: boolean
}

/** The alerts have these buttons; each is null for roles that may not use it. */
interface Buttons {
  readonly repair: ReactNode
  /** `confirm` states that a shown secret is stored or deployed. */
  readonly confirm: ReactNode
}

/**
 * The alerts say what is special about an endpoint's state, and what to do. `missing` is for an endpoint that is
 * not active.
 */
export function endpointAlerts(
  endpoint: EndpointView,
  {
    buttons,
    missing,
    sandboxUrl,
  }: {
    readonly buttons: Buttons
    readonly missing: MissingHere | null
    readonly sandboxUrl: string | null
  },
): Alert[] {
  const { status, repair, receiver, ours, shownAt, replaces, replacedBy } = endpoint
  const alerts: Alert[] = []
  if (status !== 'active') {
    const kind = notActiveKind(status, missing)
    alerts.push({
      key: 'not-active',
      kind,
      leads: true,
      shown: <NotActive kind={kind} endpoint={endpoint} missing={missing} />,
    })
  }
  if (repair)
    alerts.push({
      key: 'repair',
      kind: 'warning',
      shown: (
        <Callout kind="warning" title={repairMessages[repair].title} actions={buttons.repair}>
          {repairMessages[repair].why}
          {!buttons.repair && ' An admin can repair it.'}
        </Callout>
      ),
    })
  if (shownAt)
    alerts.push({
      key: 'secret',
      kind: 'warning',
      shown: <UnconfirmedSecret shownAt={shownAt} replaces={replaces} confirm={buttons.confirm} />,
    })
  if (receiver && receiver.refused > 0)
    alerts.push({
      key: 'refused',
      kind: isAllDeferred(receiver) ? 'warning' : 'error',
      shown: <RefusedDeliveries receiver={receiver} />,
    })
  if (replacedBy) alerts.push({ key: 'replaced', kind: 'info', shown: <BeingReplaced by={replacedBy} /> })
  if (ours && status === 'active' && receiver && !receiver.lastDeliveryAt && !repair)
    alerts.push({ key: 'waiting', kind: 'info', shown: <WaitingForFirst sandboxUrl={sandboxUrl} /> })
  return alerts
}

function notActiveKind(status: string, missing: MissingHere | null): CalloutKind {
  if (status === 'auto_disabled') return missing?.isSettled ? 'warning' : 'error'
  return missing && !missing.isSettled ? 'warning' : 'info'
}

function NotActive({
  kind,
  endpoint,
  missing,
}: {
  readonly kind: CalloutKind
  readonly endpoint: EndpointView
  readonly missing: MissingHere | null
}) {
  const { status, statusSince, ours } = endpoint
  const nothing = (
    <>
      <HasBeenOff since={statusSince} />
      It gets no deliveries until an admin activates it.
    </>
  )
  if (status !== 'auto_disabled') {
    return (
      <Callout kind={kind} title={stateMessage(status)} actions={missing?.actions}>
        {nothing} {missing?.words}
      </Callout>
    )
  }
  return (
    <Callout
      kind={kind}
      title={<span className="text-base">The provider switched this endpoint off.</span>}
      className={clsx(kind === 'error' && 'border border-fail px-5 py-4')}
      actions={
        <>
          {!ours && <CopyButton text={operatorText(endpoint)}>Copy for its operator</CopyButton>}
          {missing?.actions}
        </>
      }
    >
      {nothing}
      {ours && !missing && ' Deliveries may be missing since then.'} {missing?.words}{' '}
      {!ours && 'Deliveries fail there, and what it answers is not seen here: ask its operator. '}
      Find out why before you activate it.
    </Callout>
  )
}

/** This text tells the operator of an endpoint elsewhere why deliveries failed. Times are in UTC. */
function operatorText({ uuid, url, statusSince }: EndpointView): string {
  const since = statusSince && sinceWords(statusSince)
  return [
    `The provider switched off the webhook endpoint ${url} after repeated failures.`,
    ...(since ? [since] : []),
    `endpoint uuid: ${uuid}`,
    'What did it answer then, and why? Does it accept deliveries again?',
  ].join('\n')
}

const sinceWords = ({ after, by }: NonNullable<EndpointView['statusSince']>): string =>
  after === null ? `Off since before ${by} (UTC).` : `Off since a time between ${after} and ${by} (UTC).`

/** A status that the service added later is shown as it is. */
const stateMessage = (status: string) =>
  status === 'disabled' ? 'This endpoint is disabled.' : `Its status at the provider: ${status}.`

function WaitingForFirst({ sandboxUrl }: { readonly sandboxUrl: string | null }) {
  return (
    <Callout title="Waiting for the first delivery">
      <RefreshEvery seconds={3} />
      The endpoint is ready. It arrives here as soon as something happens at the provider.
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

/** The service sends every refused delivery again. */
const isAllDeferred = ({ reasons }: ReceiverView): boolean =>
  reasons.every(({ why }) => why !== null && refusalReasons[why] === 'deferred')

/** The text says which deliveries were refused, why, whether they come again, and what helps. */
export function RefusedDeliveries({ receiver }: { readonly receiver: ReceiverView }) {
  const { refused, refusedSince, reasons } = receiver
  const comeAgain = isAllDeferred(receiver)
  return (
    <Callout
      kind={comeAgain ? 'warning' : 'error'}
      title={`${counted(refused, 'delivery', 'deliveries')} failed in the last 24 hours.`}
    >
      {refusedSince && (
        <>
          Since <Time at={refusedSince} style="clock" />:{' '}
        </>
      )}
      {refusalReasonsMessage(reasons)}.{' '}
      {comeAgain ? 'The provider retries each up to six times. If it goes on: ' : 'If it goes on: '}
      {inSentence(refusalRemedy(reasons) ?? 'ask the provider.')}
    </Callout>
  )
}

/** The secret of an endpoint elsewhere was shown, and nobody has confirmed yet that it is stored or deployed. */
function UnconfirmedSecret({
  shownAt,
  replaces,
  confirm,
}: {
  readonly shownAt: string
  /** This endpoint is deleted once the secret is confirmed. */
  readonly replaces: string | null
  readonly confirm: ReactNode
}) {
  return (
    <Callout
      kind="warning"
      title={replaces ? 'This endpoint is to replace another one.' : 'Has the new secret been deployed?'}
      actions={confirm}
    >
      Its secret was shown <Time at={shownAt} />, <Time at={shownAt} style="clock" />, and is not kept here.{' '}
      {replaces ? (
        <>
          Deploy it beside the old one, then confirm:{' '}
          <EndpointLink uuid={replaces}>the old endpoint</EndpointLink> is deleted. If it was lost, rotate it.
        </>
      ) : (
        'If it was lost, rotate it.'
      )}
    </Callout>
  )
}

/** This endpoint is deleted once the secret of its replacement is confirmed. */
const BeingReplaced = ({ by }: { readonly by: string }) => (
  <Callout title="This endpoint is being replaced.">
    It delivers until <EndpointLink uuid={by}>its replacement</EndpointLink> is confirmed there.
  </Callout>
)

const EndpointLink = ({ uuid, children }: { readonly uuid: string; readonly children: string }) => (
  <Link href={`/endpoints/${uuid}`} className="underline hover:text-text">
    {children}
  </Link>
)
