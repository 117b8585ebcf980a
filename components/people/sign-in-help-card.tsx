import { EndSession } from '#components/identity/profile/session-list.tsx'
import { Card, Fact, Facts } from '#components/ui/card.tsx'
import { Disclosure } from '#components/ui/disclosure.tsx'
import { Time } from '#components/ui/time.tsx'
import type { CodeRequestView } from '#lib/audit/list-audit.ts'
import { deviceLabel, signInMethodLabels } from '#lib/identity/labels/sign-in-labels.ts'
import { parseSignInMethod } from '#lib/identity/rules/sign-in.ts'
import type { SignInHelp } from '#lib/people/get-person.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { EndPersonSessions } from './person-actions.tsx'
import { BounceFacts, strangersAreStopped } from './person-alerts.tsx'

/**
 * Support helps a person who cannot sign in: the card shows codes, waits and open sessions, which an admin can end.
 * The page's alerts say what stops the person now.
 */
export function SignInHelpCard({
  userUuid,
  help,
  end,
}: {
  readonly userUuid: string
  readonly help: SignInHelp
  /** `end` is null for roles that may not end sessions. */
  readonly end: Action<{ readonly ended: number }> | null
}) {
  const { codes, waits, codeSentAt, strangersStoppedAt, signUpWallet, bounce, sessions } = help
  const open = sessions.filter(({ ended }) => ended === null)
  return (
    <Card title="Signing in">
      <Facts>
        {signUpWallet && <Fact name="Wallet given at sign-up">{walletLabels[signUpWallet]}</Fact>}
        <Fact name="Pending code">
          {codeSentAt ? (
            <>
              Sent <Time at={codeSentAt} />
            </>
          ) : (
            <span className="text-muted">None</span>
          )}
        </Fact>
        <Fact name="Known browsers">
          <Wait until={waits.knownBrowsers} what="request a code" />
        </Fact>
        <Fact name="Other browsers">
          <Wait until={waits.strangers} what="request a code" />
          {waits.strangersTyping && (
            <span className="block">
              <Wait until={waits.strangersTyping} what="enter a code" />
            </span>
          )}
        </Fact>
        {bounce && !bounce.lasts && (
          <Fact name="Latest bounce">
            <BounceFacts bounce={bounce} />
          </Fact>
        )}
        {strangersStoppedAt && !strangersAreStopped(help) && (
          <Fact name="Unknown browsers blocked">
            <Time at={strangersStoppedAt} />
          </Fact>
        )}
        <Fact name="Active sessions">
          {open.length === 0 ? <span className="text-muted">None</span> : placesText(open.length)}
        </Fact>
      </Facts>
      <CodesAskedFor codes={codes} />
      {end && open.length > 1 && (
        <div className="mt-3">
          <EndPersonSessions userUuid={userUuid} end={end} />
        </div>
      )}
      {sessions.length > 0 && (
        <div className="mt-3">
          <Disclosure summary={signInsText(sessions.length)}>
            <ul className="grid gap-2 text-sm">
              {sessions.map((session) => (
                <li key={session.id}>
                  <Time at={session.startedAt} />: {methodLabel(session.method)}
                  <span className="block break-words text-muted text-xs">
                    {session.ended === null ? 'Open' : (endLabels.get(session.ended) ?? session.ended)}
                    {session.userAgent && `, ${deviceLabel(session.userAgent)}`}
                  </span>
                  {end && session.ended === null && (
                    <EndSession
                      session={{ id: session.id, device: deviceLabel(session.userAgent) }}
                      action={end}
                      fields={{ userUuid }}
                      asksReason
                    />
                  )}
                </li>
              ))}
            </ul>
          </Disclosure>
        </div>
      )}
    </Card>
  )
}

function Wait({ until, what }: { readonly until: string | null; readonly what: string }) {
  if (until === null) return <span className="text-muted">Can {what} now</span>
  return (
    <>
      Must wait until <Time at={until} style="clock" /> to {what}
    </>
  )
}

const walletLabels = {
  waiting: 'Cannot sign in until the customer confirms it by code or on their account page',
  usable: 'Can sign in',
  refused: 'Blocked: the customer did not recognise it',
} as const satisfies Record<NonNullable<SignInHelp['signUpWallet']>, string>

/** At most 20 sign-ins are read. */
const signInsText = (count: number) =>
  count === 1 ? '1 sign-in' : count === 20 ? 'The latest 20 sign-ins' : `${count} sign-ins`

const placesText = (count: number) => (count === 1 ? 'In one browser' : `In ${count} browsers`)

function methodLabel(method: string): string {
  const known = parseSignInMethod(method)
  return known ? signInMethodLabels[known] : method
}

const endLabels: ReadonlyMap<string, string> = new Map([
  ['expired', 'Expired'],
  ['signed-out', 'Signed out'],
  ['by-admin', 'Ended by an admin'],
  ['by-owner', 'Ended by the person'],
  ['by-provider', 'Ended at the identity provider'],
  ['role-lost', 'Ended: role changed'],
  ['member-removed', 'Ended: left the team'],
  ['restored', 'Ended: backup restored'],
])

/** The list has the codes of the last day, and which of them the service did not send. */
function CodesAskedFor({ codes }: { readonly codes: readonly CodeRequestView[] }) {
  if (codes.length === 0) return null
  return (
    <div className="mt-3">
      <Disclosure summary={summaryOf(codes.length)}>
        <ul className="grid gap-2 text-sm">
          {codes.map(({ at, why, userAgent }) => (
            <li key={at}>
              <Time at={at} style="clock" />, {deviceLabel(userAgent)}
              <span className="block text-muted text-xs">
                {why === null ? 'Handed to the provider' : (refusals.get(why) ?? `Not sent: ${why}`)}
              </span>
            </li>
          ))}
        </ul>
      </Disclosure>
    </div>
  )
}

/** At most 20 codes are read. */
const summaryOf = (count: number) =>
  count === 1
    ? '1 code requested in the last day'
    : `${count === 20 ? 'The latest 20' : count} codes requested in the last day`

const refusals: ReadonlyMap<string, string> = new Map([
  ['service-busy', 'Not sent: too many requests at the provider'],
  ['service-unavailable', 'Not sent: the provider did not answer'],
  ['key-refused', 'Not sent: the provider refused the API key'],
  ['code-refused', 'Not sent: the provider does not know this user, or refused the request'],
])
