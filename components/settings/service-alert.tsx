import type { CustomerWords } from '#lib/labels/customer-labels.ts'
import type { ServiceState } from '#lib/service-key/service-state.ts'
import type { Alert } from '../alerts/alert-slot.tsx'
import { Callout } from '../ui/callout.tsx'
import { Time } from '../ui/time.tsx'

/** For staff: that the service refuses the API key, or does not answer, since when, and what to do. Nothing while all is well. */
export function ServiceAlert({ state }: { readonly state: ServiceState | null }) {
  if (state === null || state.look === 'seen') return null
  const seen = state.seenAt ? (
    <>
      How endpoints are was last seen <Time at={state.seenAt} style="clock" />.
    </>
  ) : (
    'How endpoints are was never seen.'
  )
  return state.look === 'key-refused' ? (
    <Callout
      kind="error"
      title="The service refuses the API key."
      actions={
        <a href="/settings#service" className="underline">
          Give another key
        </a>
      }
    >
      Since <Time at={state.since} style="clock" /> nobody can sign in by wallet or code, and no endpoint can
      be changed. {seen} Deliveries are taken as before. An admin gives another key under Settings; without a
      restart.
    </Callout>
  ) : (
    <Callout kind="warning" title="The service does not answer.">
      Not since <Time at={state.since} style="clock" />. {seen} Deliveries are taken as before; it is asked
      again every minute.
    </Callout>
  )
}

/** The same among other alerts of a page. */
export const serviceAlerts = (state: ServiceState | null): Alert[] =>
  state === null || state.look === 'seen'
    ? []
    : [
        {
          key: 'service',
          kind: state.look === 'key-refused' ? 'error' : 'warning',
          shown: <ServiceAlert state={state} />,
        },
      ]

/** For whoever wants to sign in: that it is not their fault. */
export function SignInTrouble({
  words,
  look,
}: {
  readonly words: CustomerWords
  readonly look: ServiceState['look'] | undefined
}) {
  if (look !== 'key-refused') return null
  return (
    <Callout kind="warning" title={words('signIn.noWay')} className="mb-4">
      {words('signIn.noWayNext')}
    </Callout>
  )
}
