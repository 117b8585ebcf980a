import type { SessionView, SignInHelp } from '#lib/people/read-sign-in-help.ts'
import { Callout } from '../ui/callout.tsx'
import { Card, Fact, Facts } from '../ui/card.tsx'
import { Disclosure } from '../ui/disclosure.tsx'
import { Time } from '../ui/time.tsx'

/** For somebody who cannot sign in: whether a code waits to be typed in, whether its mail bounced, where they are signed in. */
export function SignInHelpCard({
  help: { codeSentAt, strangersStoppedAt, signUpWallet, bounce, sessions },
}: {
  readonly help: SignInHelp
}) {
  const open = sessions.filter(({ ended }) => ended === null)
  return (
    <Card title="Signing in">
      {bounce && (
        <Callout kind="warning" title="The mail with a code bounced" className="mb-3">
          <Time at={bounce.at} />
          {bounce.failureType && `, ${bounce.failureType}`}
          {bounce.diagnosticCode && <span className="mono block break-words">{bounce.diagnosticCode}</span>}
        </Callout>
      )}
      {strangersStoppedAt && (
        <Callout kind="warning" title="Strangers tried codes for this address" className="mb-3">
          They were stopped for the day, <Time at={strangersStoppedAt} />. Until the next day codes work only
          in browsers that have signed in with the address before.
        </Callout>
      )}
      <Facts>
        {signUpWallet && <Fact name="Wallet given at sign-up">{walletLabels[signUpWallet]}</Fact>}
        <Fact name="Unused code">
          {codeSentAt ? (
            <>
              Sent <Time at={codeSentAt} />
            </>
          ) : (
            <span className="text-muted">None in the last day</span>
          )}
        </Fact>
        <Fact name="Signed in">
          {open.length === 0 ? <span className="text-muted">Nowhere now</span> : placesText(open.length)}
        </Fact>
      </Facts>
      {sessions.length > 0 && (
        <div className="mt-3">
          <Disclosure summary={signInsText(sessions.length)}>
            <ul className="grid gap-2 text-sm">
              {sessions.map((session) => (
                <li key={session.id}>
                  <Time at={session.startedAt} /> by {methodLabels.get(session.method) ?? session.method}
                  <span className="block break-words text-muted text-xs">
                    {session.ended === null ? 'Open' : (endLabels.get(session.ended) ?? session.ended)}
                    {session.userAgent && `, ${session.userAgent}`}
                  </span>
                </li>
              ))}
            </ul>
          </Disclosure>
        </div>
      )}
    </Card>
  )
}

const walletLabels = {
  waiting:
    'Cannot sign in until its owner has typed a code where they signed up, or agreed on their account page',
  usable: 'May sign in',
  refused: 'May not sign in: the owner of the address does not know it',
} as const satisfies Record<NonNullable<SignInHelp['signUpWallet']>, string>

/** At most 20 are read. */
const signInsText = (count: number) =>
  count === 1 ? 'One sign-in' : count === 20 ? 'The latest 20 sign-ins' : `${count} sign-ins`

const placesText = (count: number) => (count === 1 ? 'In one browser' : `In ${count} browsers`)

const methodLabels: ReadonlyMap<SessionView['method'], string> = new Map([
  ['wallet', 'wallet'],
  ['code', 'e-mail code'],
  ['passkey', 'passkey'],
  ['sso', 'single sign-on'],
  ['link', 'link'],
])

const endLabels: ReadonlyMap<string, string> = new Map([
  ['expired', 'Expired'],
  ['signed-out', 'Signed out'],
])
