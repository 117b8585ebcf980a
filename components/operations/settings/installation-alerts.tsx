import { Callout } from '#components/ui/callout.tsx'
import type { Alert } from '#components/ui/shared/alert-slot.tsx'
import { Time } from '#components/ui/time.tsx'
import type { ProxyFault } from '#lib/platform/http/find-address.ts'
import { type MailHealth, mailTrouble } from '#lib/platform/rules/mail-states.ts'

/** The alert says that mail is not sent, or did not reach somebody. */
export function mailAlerts(health: MailHealth | null): Alert[] {
  const trouble = health && mailTrouble(health)
  if (!health || !trouble) return []
  return [{ key: 'mail', kind: 'warning', shown: <MailAlert health={health} trouble={trouble} /> }]
}

function MailAlert({
  health: { lateSince, lost, lastFault },
  trouble,
}: {
  readonly health: MailHealth
  readonly trouble: 'late' | 'lost'
}) {
  const count = lost === 1 ? 'One mail' : `${lost.toLocaleString('en')} mails`
  return (
    <Callout
      kind="warning"
      title={
        trouble === 'late' ? 'Mail cannot be sent.' : `${count} of the last day may have reached nobody.`
      }
      actions={
        <a href="/settings#mail" className="underline">
          Open mail settings
        </a>
      }
    >
      {lateSince !== null && (
        <>
          Mails wait since <Time at={lateSince} />. Each is retried for a day.{' '}
        </>
      )}
      {lastFault !== null && <>Last fault: {lastFault.answer}</>}
    </Callout>
  )
}

/** The alert says that callers' addresses are unknown, or are those of a proxy, and what to set. */
function ProxyAlert({ fault }: { readonly fault: ProxyFault | null }) {
  if (fault === null) return null
  const proxy = <span className="mono">{fault.proxy}</span>
  const at = <Time at={fault.at} />
  if (fault.kind === 'not-trusted')
    return (
      <Callout kind="warning" title="A caller’s address was not trusted.">
        {proxy} sent X-Forwarded-For, last {at}, and is not among TRUSTED_PROXIES. If it is your proxy, add it
        there. Until then everybody behind it counts as one caller.
      </Callout>
    )
  const without = 'Limits by address have no effect, and the audit has no addresses'
  return fault.kind === 'header-missing' ? (
    <Callout kind="warning" title="A proxy does not send its callers’ addresses.">
      {proxy} sent a request without X-Forwarded-For, last {at}. {without}, until the proxy sets it.
    </Callout>
  ) : (
    <Callout kind="warning" title="A proxy sends callers’ addresses that cannot be read.">
      {proxy} sent X-Forwarded-For without an address at its end, last {at}. {without}, until the proxy
      appends the address of the connection.
    </Callout>
  )
}

/** The alert is in the list of a page's alerts. */
export const proxyAlerts = (fault: ProxyFault | null): Alert[] =>
  fault === null ? [] : [{ key: 'proxy', kind: 'warning', shown: <ProxyAlert fault={fault} /> }]
