import { SingleSignOnButton } from '#components/identity/sign-in/single-sign-on-button.tsx'
import { Card, Fact, Facts } from '#components/ui/card.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { Time } from '#components/ui/time.tsx'
import { roleLabels } from '#lib/access/labels/role-labels.ts'
import type { ConnectionView } from '#lib/endpoints/service-key/service-state.ts'
import { signInMessages } from '#lib/identity/labels/sign-in-messages.ts'
import type { ReportView } from '#lib/identity/single-sign-on/reports.ts'
import type { MailView } from '#lib/operations/settings/read-mail-health.ts'
import type { SendingResult } from '#lib/platform/db/claimed-queue.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { mailTrouble } from '#lib/platform/rules/mail-states.ts'
import { formatPlainDuration } from '#lib/words/labels/duration.ts'
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

/** The card shows how staff sign in at the merchant's own provider, and which claims came from it. */
export function SingleSignOnCard({
  connection,
  reports: { test: tested, refused },
  test,
}: {
  readonly connection: ConnectionView['singleSignOn']
  readonly reports: { readonly test: ReportView | null; readonly refused: ReportView | null }
  readonly test: Action<{ readonly url: string }>
}) {
  if (!connection)
    return (
      <Card id="single-sign-on" title="Single sign-on">
        <p>Not set up (OIDC_ISSUER)</p>
      </Card>
    )
  const { name, issuer, claim } = connection
  return (
    <Card id="single-sign-on" title="Single sign-on">
      <div className="grid gap-4">
        <Facts>
          <Fact name="Provider">
            {name}, <span className="mono break-all">{issuer}</span>
          </Fact>
          <Fact name="Roles">{claim ? `By the claim “${claim}”` : 'As admins gave them'}</Fact>
        </Facts>
        {tested && <Report title="Your last test" report={tested} />}
        {refused && <Report title="Last refused for its claims" report={refused} />}
        <SingleSignOnButton begin={test} name={name} next={null} label="Test single sign-on" size="sm" />
        <p className="text-muted text-sm">
          The test takes you to {name} and back, and shows what it says of you. It changes nothing.
        </p>
      </div>
    </Card>
  )
}

function Report({ title, report }: { readonly title: string; readonly report: ReportView }) {
  const { at, why, member, role, read, identityToken, userInfo } = report
  const hasAnswer = identityToken.length > 0
  return (
    <section className="border-t pt-4">
      <h3 className="mb-2 font-strong text-sm">
        {title}, <Time at={at} style="dated" />
      </h3>
      <Facts>
        {member && <Fact name="Member">{member.name}</Fact>}
        <Fact name="Result">
          {why === null ? <Pill tone="done">Sign-in works</Pill> : signInMessages[why].title}
        </Fact>
        {role && hasAnswer && <RoleFacts role={role} />}
        {read && (
          <>
            <Fact name="Issuer (iss)">
              <span className="mono break-all">{read.issuer}</span>
            </Fact>
            <Fact name="Subject (sub)">
              <span className="mono break-all">{read.subject}</span>
            </Fact>
            <Fact name="Name (name)">{read.name ?? 'Not sent'}</Fact>
            <Fact name="Address (email)">
              {read.email ?? 'Not sent'}
              {read.email !== null &&
                (read.emailVerified === true
                  ? ', verified'
                  : ', not said to be verified (email_verified): members are not found by it')}
            </Fact>
          </>
        )}
        {hasAnswer && (
          <>
            <Fact name="Signed in there (auth_time)">
              <Freshness report={report} />
            </Fact>
            <Fact name="Identity token">
              <Names names={identityToken} />
            </Fact>
            <Fact name="UserInfo">{userInfo.length > 0 ? <Names names={userInfo} /> : 'Nothing'}</Fact>
          </>
        )}
      </Facts>
    </section>
  )
}

function RoleFacts({
  role: { claim, said, role, value },
}: {
  readonly role: NonNullable<ReportView['role']>
}) {
  const words = {
    role: role && roleLabels[role],
    none: 'None: OIDC_ROLE_MAP names none of these values',
    'not-sent': 'None: the claim was not sent',
    unreadable: 'Unreadable: it must be a list, one value, or an object of names',
  }
  return (
    <>
      <Fact name={`Claim ${claim}`}>
        {value === null ? 'Not sent' : <span className="mono break-all">{value}</span>}
      </Fact>
      <Fact name="Role">{words[said]}</Fact>
    </>
  )
}

function Freshness({ report: { provedAt, isFresh, clockDifference } }: { readonly report: ReportView }) {
  const clocks =
    clockDifference === 0
      ? ''
      : ` The identity provider’s clock is ${formatPlainDuration(Math.abs(clockDifference))} ${clockDifference > 0 ? 'ahead of' : 'behind'} this server’s: set both by NTP.`
  if (provedAt === null) return <>Not sent: whatever needs a fresh sign-in needs a passkey. {clocks}</>
  return (
    <>
      <Time at={provedAt} style="exact" />
      {isFresh ? ', fresh.' : ', too old to count as fresh.'}
      {clocks}
    </>
  )
}

function Names({ names }: { readonly names: readonly string[] }) {
  return <span className="mono break-words text-sm">{names.join(', ')}</span>
}
