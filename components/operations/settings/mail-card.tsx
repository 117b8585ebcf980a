import { Card, Fact, Facts } from '#components/ui/card.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { Time } from '#components/ui/time.tsx'
import type { MailView } from '#lib/operations/settings/read-mail-health.ts'
import type { SendingResult } from '#lib/platform/db/claimed-queue.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { mailTrouble } from '#lib/platform/rules/mail-states.ts'
import { TestMailButton } from './test-mail-button.tsx'

/** The card shows the last mail, the waiting ones, and the answers of the mail server. */
export function MailCard({
  mail: { server, from, health },
  to,
  sendTest,
}: {
  readonly mail: MailView
  /** A test mail goes to this address, unless the admin types another one. */
  readonly to: string | null
  readonly sendTest: Action<SendingResult>
}) {
  if (server === null)
    return (
      <Card id="mail" title="Mail">
        <p>
          Not set up (SMTP_URL). Notices appear only on the page Notices. You send invitation links yourself.
        </p>
      </Card>
    )
  const { lastSentAt, waiting, lastFault, triedAt } = health
  return (
    <Card id="mail" title="Mail" aside={<TestMailButton to={to} sendTest={sendTest} />}>
      <Facts>
        <Fact name="Status">
          <Now mail={health} />
        </Fact>
        <Fact name="Mail server">
          <span className="mono break-all">{server}</span>
        </Fact>
        <Fact name="Sender">
          <span className="mono break-all">{from}</span>
        </Fact>
        <Fact name="Last sent">{lastSentAt ? <Time at={lastSentAt} /> : 'None in the last 30 days'}</Fact>
        <Fact name="Last attempt">{triedAt ? <Time at={triedAt} /> : 'None in the last 30 days'}</Fact>
        <Fact name="Waiting">{waiting === 0 ? 'None' : waiting.toLocaleString('en')}</Fact>
        <Fact name="Last fault">
          {lastFault ? (
            <>
              <Time at={lastFault.at} />: <span className="mono break-words text-sm">{lastFault.answer}</span>
            </>
          ) : (
            'None in the last 30 days'
          )}
        </Fact>
      </Facts>
    </Card>
  )
}

function Now({ mail }: { readonly mail: MailView['health'] }) {
  const trouble = mailTrouble(mail)
  if (trouble === 'late') return <Pill tone="fail">Not working</Pill>
  if (trouble === 'lost') return <Pill tone="held">Working, but not for everybody</Pill>
  const { lastSentAt, lastFault } = mail
  if (lastFault !== null && (lastSentAt === null || lastFault.at > lastSentAt))
    return <Pill tone="held">The last attempt failed</Pill>
  return lastSentAt === null ? <>Unknown: send a test</> : <Pill tone="done">Working</Pill>
}
