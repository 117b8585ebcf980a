import { Callout } from '#components/ui/callout.tsx'
import type { Alert } from '#components/ui/shared/alert-slot.tsx'
import { Time } from '#components/ui/time.tsx'
import type { ProxyFault } from '#lib/platform/http/find-address.ts'

/** That callers' addresses are not known, or are those of a proxy, and what to set. Nothing while they are. */
function ProxyAlert({ fault }: { readonly fault: ProxyFault | null }) {
  if (fault === null) return null
  const proxy = <span className="mono">{fault.proxy}</span>
  const at = <Time at={fault.at} />
  if (fault.kind === 'not-trusted')
    return (
      <Callout kind="warning" title="An address of a caller was not believed.">
        {proxy} sent X-Forwarded-For, last {at}, and is not among TRUSTED_PROXIES. If it is your proxy, name
        it there: until then everybody behind it counts as one.
      </Callout>
    )
  const without = 'Limits by address hold nobody back, and the audit has no addresses'
  return fault.kind === 'header-missing' ? (
    <Callout kind="warning" title="A proxy does not say whom it speaks for.">
      {proxy} sent a request without X-Forwarded-For, last {at}. {without}, until the proxy sets it.
    </Callout>
  ) : (
    <Callout kind="warning" title="A proxy names its callers in a way that cannot be read.">
      {proxy} sent X-Forwarded-For without an address at its end, last {at}. {without}, until the proxy
      appends the address of the connection.
    </Callout>
  )
}

/** The same among other alerts of a page. */
export const proxyAlerts = (fault: ProxyFault | null): Alert[] =>
  fault === null ? [] : [{ key: 'proxy', kind: 'warning', shown: <ProxyAlert fault={fault} /> }]
