import type { ProxyFault } from '#lib/http/find-address.ts'
import type { Alert } from '../alerts/alert-slot.tsx'
import { Callout } from '../ui/callout.tsx'
import { Time } from '../ui/time.tsx'

/** That callers' addresses are not known, or are those of a proxy, and what to set. Nothing while they are. */
function ProxyAlert({ fault }: { readonly fault: ProxyFault | null }) {
  if (fault === null) return null
  const proxy = <span className="mono">{fault.proxy}</span>
  return fault.kind === 'header-missing' ? (
    <Callout kind="warning" title="A proxy does not say whom it speaks for.">
      {proxy} sent a request without X-Forwarded-For, last <Time at={fault.at} />. Limits by address hold
      nobody back, and the audit has no addresses, until the proxy sets it.
    </Callout>
  ) : (
    <Callout kind="warning" title="An address of a caller was not believed.">
      {proxy} sent X-Forwarded-For, last <Time at={fault.at} />, and is not among TRUSTED_PROXIES. If it is
      your proxy, name it there: until then everybody behind it counts as one.
    </Callout>
  )
}

/** The same among other alerts of a page. */
export const proxyAlerts = (fault: ProxyFault | null): Alert[] =>
  fault === null ? [] : [{ key: 'proxy', kind: 'warning', shown: <ProxyAlert fault={fault} /> }]
