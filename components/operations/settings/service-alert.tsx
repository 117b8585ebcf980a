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
        Nobody has looked at the service since <Time at={since} style="clock" />.
      </>
    }
  >
    Until somebody does, a silence is not noticed, and how endpoints and the API key are is old. Deliveries
    are taken as before. The server looks each minute: its log says under “watcher” why it could not.
  </Callout>
)

const KeyRefused = ({ state }: { readonly state: ServiceState }) => (
  <Callout
    kind="error"
    title="The service refuses the API key."
    actions={
      <a href="/settings#service" className="underline">
        Replace the API key
      </a>
    }
  >
    Since <Time at={state.since} style="clock" /> nobody can sign in by wallet or code, and no endpoint can be
    changed. <Seen state={state} /> Deliveries are taken as before. An admin gives another key under Settings;
    without a restart.
  </Callout>
)

const Unanswered = ({ state }: { readonly state: ServiceState }) => (
  <Callout kind="warning" title="The service does not answer.">
    Not since <Time at={state.since} style="clock" />. <Seen state={state} /> Deliveries are taken as before;
    it is asked again every minute.
  </Callout>
)

const Seen = ({ state: { seenAt } }: { readonly state: ServiceState }) =>
  seenAt ? (
    <>
      How endpoints are was last seen <Time at={seenAt} style="clock" />.
    </>
  ) : (
    'How endpoints are was never seen.'
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
