import { Callout } from '#components/ui/callout.tsx'
import type { Alert } from '#components/ui/shared/alert-slot.tsx'
import { Time } from '#components/ui/time.tsx'
import { type MailHealth, mailTrouble } from '#lib/platform/rules/mail-trouble.ts'

/** That mail does not go, or did not reach somebody. Nothing while it does. */
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
      title={trouble === 'late' ? 'Mail does not go.' : `${count} of the last day may have reached nobody.`}
      actions={
        <a href="/settings#mail" className="underline">
          Look at mail
        </a>
      }
    >
      {lateSince !== null && (
        <>
          Mails wait since <Time at={lateSince} />. They are tried again, each for a day.{' '}
        </>
      )}
      {lastFault !== null && <>Last fault: {lastFault.answer}</>}
    </Callout>
  )
}
