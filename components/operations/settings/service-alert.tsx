import { Callout } from '#components/ui/callout.tsx'
import type { Alert } from '#components/ui/shared/alert-slot.tsx'
import { Time } from '#components/ui/time.tsx'
import type { ServiceState } from '#lib/endpoints/service-key/service-state.ts'
import type { CustomerWords } from '#lib/words/labels/customer-labels.ts'

/** The watcher saw the service like this, and has not looked since then. */
interface Watched {
  readonly state: ServiceState | null
  readonly unwatchedSince: string | null
}

/**
 * Staff see these alerts, each with what to do: nobody watches the service, it refuses the API key, or it does not
 * answer.
 */
export function serviceAlerts({ state, unwatchedSince }: Watched): Alert[] {
  const alerts: Alert[] = []
  if (unwatchedSince !== null)
    alerts.push({ key: 'unwatched', kind: 'error', shown: <Unwatched since={unwatchedSince} /> })
  if (state?.look === 'key-refused')
    alerts.push({ key: 'service', kind: 'error', shown: <KeyRefused state={state} /> })
  if (state?.look === 'unanswered' && unwatchedSince === null)
    alerts.push({ key: 'service', kind: 'warning', shown: <Unanswered state={state} /> })
  return alerts
}

const Unwatched = ({ since }: { readonly since: string }) => (
  <Callout
    kind="error"
    title={
      <>
        The provider was not checked since <Time at={since} style="clock" />.
      </>
    }
  >
    Until then a silence goes unnoticed, and the state of endpoints is old. Deliveries are still accepted. The
    server’s log says why, under “watcher”.
  </Callout>
)

const KeyRefused = ({ state }: { readonly state: ServiceState }) => (
  <Callout
    kind="error"
    title="The provider refuses the API key."
    actions={
      <a href="/settings#service" className="underline">
        Replace the API key
      </a>
    }
  >
    Since <Time at={state.since} style="clock" /> nobody can sign in by wallet or code, or change endpoints.{' '}
    <Seen state={state} /> Deliveries are still accepted. An admin can change the key under Settings.
  </Callout>
)

const Unanswered = ({ state }: { readonly state: ServiceState }) => (
  <Callout kind="warning" title="The provider does not answer.">
    Not since <Time at={state.since} style="clock" />. <Seen state={state} /> Deliveries are still accepted.
    It is checked every minute.
  </Callout>
)

const Seen = ({ state: { seenAt } }: { readonly state: ServiceState }) =>
  seenAt ? (
    <>
      The state of endpoints was last read <Time at={seenAt} style="clock" />.
    </>
  ) : (
    'The state of endpoints was never read.'
  )

/** A person who wants to sign in reads here that the problem is not their fault. */
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
