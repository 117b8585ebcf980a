import { Callout } from '#components/ui/callout.tsx'
import { ButtonLink } from '#components/ui/link.tsx'
import type { Alert } from '#components/ui/shared/alert-slot.tsx'
import { Time } from '#components/ui/time.tsx'
import type { StrangerCalls } from '#lib/endpoints/gaps/list-stranger-calls.ts'
import { counted } from '#lib/words/labels/formats.ts'

/**
 * A stranger calls an address of this dashboard. The alert says how often, from where, and that nothing is missing.
 * `link` leads to the endpoint, except on its own page.
 */
export const strangerAlerts = (strangers: readonly StrangerCalls[], link = true): Alert[] =>
  strangers.map((calls) => ({
    key: `stranger ${calls.endpoint?.uuid} ${calls.lastAt}`,
    kind: 'warning',
    shown: <StrangerNotice calls={calls} link={link} />,
  }))

function StrangerNotice({ calls, link }: { readonly calls: StrangerCalls; readonly link: boolean }) {
  const { endpoint, count, lastAt, callers, otherAddresses } = calls
  return (
    <Callout
      kind="warning"
      title={`Somebody else calls the address of ${endpoint ? `“${endpoint.name}”` : 'an endpoint'} without its secret.`}
      actions={
        link && endpoint && <ButtonLink href={`/endpoints/${endpoint.uuid}`}>Open the endpoint</ButtonLink>
      }
    >
      {counted(count, 'call was', 'calls were')} refused in the last 24 hours, the last{' '}
      <Time at={lastAt} style="clock" />
      {callers.length > 0 && `, from ${fromWhere(callers, otherAddresses)}`}. Deliveries with the right secret
      were accepted: nothing is missing, and the secret is fine. If one of these addresses is the provider’s,
      a second endpoint may lead here.
    </Callout>
  )
}

function fromWhere(callers: StrangerCalls['callers'], more: number): string {
  const named = callers.map(
    ({ address, count }) => `${address || 'many others'} (${count.toLocaleString('en')})`,
  )
  return more > 0
    ? `${named.join(', ')} and ${counted(more, 'other address', 'other addresses')}`
    : named.join(', ')
}
