import { Callout } from '#components/ui/callout.tsx'
import type { Alert } from '#components/ui/shared/alert-slot.tsx'
import { Time } from '#components/ui/time.tsx'
import type { KeyFault } from '#lib/endpoints/read-key-faults.ts'

/** A server runs with a wrong key. The alert says what that costs and what to do. */
export const keyAlerts = (faults: readonly KeyFault[]): Alert[] =>
  faults.map((fault) => ({
    key: `key ${fault.keyId}`,
    kind: 'error',
    shown: (
      <Callout kind="error" title={titleOf(fault)}>
        <p>
          A server was started <Time at={fault.since} style="clock" /> with{' '}
          {fault.kind === 'changed' ? 'another value for this key' : 'this key missing from RAMPART_KEYS'}.{' '}
          {costOf(fault)}
        </p>
        <p className="mt-1.5">
          <b className="font-title">What to do:</b> put the earlier value of “{fault.keyId}” back into
          RAMPART_KEYS and restart. Retried deliveries are then accepted. A new key goes in front of the old
          ones, with its own ID. If the earlier value is lost, start with a new key and ID, and rotate the
          secrets of these endpoints.
        </p>
      </Callout>
    ),
  }))

const titleOf = ({ keyId, kind }: KeyFault) =>
  `Deliveries cannot be checked: the key “${keyId}” ${kind === 'changed' ? 'has another value' : 'is missing'}.`

function costOf({ receivers, deferred }: KeyFault): string {
  if (receivers === 0) return 'No endpoint depends on it yet.'
  const whose = receivers === 1 ? 'one endpoint' : `${receivers} endpoints`
  const soFar =
    deferred === 0
      ? 'none so far'
      : `${deferred.toLocaleString('en')} ${deferred === 1 ? 'time' : 'times'} so far`
  return `Deliveries to ${whose} are deferred, ${soFar}. Nothing is lost yet: the provider retries each for 18 h 40 min.`
}
