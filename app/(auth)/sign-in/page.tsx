import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { SignInCard } from '#components/identity/sign-in/sign-in-card.tsx'
import { StaffSignIn } from '#components/identity/sign-in/staff-sign-in.tsx'
import { parseWalletsSeen, walletsCookie } from '#components/identity/sign-in/wallets-cookie.ts'
import { SignInTrouble } from '#components/operations/settings/service-alert.tsx'
import { Callout } from '#components/ui/callout.tsx'
import { EndDraftsHere } from '#components/ui/form/drafts.tsx'
import { RefusalCallout } from '#components/ui/form/refusal-callout.tsx'
import { Link } from '#components/ui/link.tsx'
import { readServiceState } from '#lib/endpoints/service-key/service-state.ts'
import { signInMessages } from '#lib/identity/labels/sign-in-messages.ts'
import { passkeysWork } from '#lib/identity/passkeys/passkey-challenges.ts'
import { nextPath } from '#lib/identity/rules/next-path.ts'
import { asksForAnother, readSignInRefusal } from '#lib/identity/rules/sign-in.ts'
import { findLastPerson, readChoice } from '#lib/identity/sessions/read-request.ts'
import type { LastPerson } from '#lib/identity/sessions/session-state.ts'
import { signInPage, singleSignOnPage } from '#lib/identity/sign-in/sign-in-page.ts'
import { readSettings } from '#lib/platform/settings/settings.ts'
import type { CustomerWords } from '#lib/words/labels/customer-labels.ts'
import { beginPasskeySignInAction, beginSingleSignOnAction } from '../../actions.ts'
import { readWords, titleOf } from '../../read-words.ts'
import {
  codeDeliveryStatusAction,
  createThrowAwayAccountAction,
  issueChallengeAction,
  issueSignUpChallengeAction,
  requestCodeAction,
} from '../actions.ts'

export async function generateMetadata(): Promise<Metadata> {
  const words = await readWords()
  return { title: { absolute: titleOf(words('signIn.metaTitle')) } }
}

interface SignInPageProps {
  readonly searchParams: Promise<Partial<Record<'next' | 'again' | 'refused', string | string[]>>>
}

/**
 * `next` opens afterwards. `again` asks a person who is signed in to prove once more who they are. `refused` says
 * why single sign-on failed.
 */
export default async function SignInPage({ searchParams }: SignInPageProps) {
  const { next, again, refused: why } = await searchParams
  const refused = typeof why === 'string' ? why : null
  const wanted = typeof next === 'string' ? next : null
  const last = await findLastPerson()
  const isSignedIn = last?.state === 'signed-in'
  if (again === undefined && refused === null && isSignedIn) redirect(nextPath(wanted))
  const { serviceHost, canSignUp, sandboxUrl, walletConnectProjectId } = await signInPage()
  const { merchantName: name } = await readSettings()
  const words = await readWords()
  return (
    <>
      <h1 className="sr-only">{words('signIn.title', { merchant: name })}</h1>
      {refused !== null && <SingleSignOnRefusal code={refused} back={isSignedIn ? nextPath(wanted) : null} />}
      {last?.isOver && <EndDraftsHere />}
      {last && (again !== undefined || !isSignedIn) && (
        <WhoWasHere words={words} last={last} leadsBack={nextPath(wanted) !== '/'} />
      )}
      <SignInTrouble words={words} look={(await readServiceState())?.look} />
      <SignInCard
        actions={{
          issueChallenge: issueChallengeAction,
          issueSignUpChallenge: issueSignUpChallengeAction,
          requestCode: requestCodeAction,
          codeDeliveryStatus: codeDeliveryStatusAction,
          createThrowAwayAccount: sandboxUrl ? createThrowAwayAccountAction : null,
        }}
        merchant={name}
        walletConnectProjectId={walletConnectProjectId}
        serviceHost={serviceHost}
        sandboxUrl={sandboxUrl}
        next={wanted}
        address={last?.email ?? ''}
        below={<StaffSignInPart next={wanted} again={again !== undefined} refused={refused} />}
        walletsSeen={parseWalletsSeen(await readChoice(walletsCookie))}
      >
        {canSignUp && (
          <p>
            {words('signIn.newHere')}{' '}
            <Link href="/sign-up" className="underline hover:text-text">
              {words('signIn.createAccount')}
            </Link>
          </p>
        )}
      </SignInCard>
    </>
  )
}

/** The page says why a person who was signed in is asked again, and names that person. */
function WhoWasHere({
  words,
  last,
  leadsBack,
}: {
  readonly words: CustomerWords
  readonly last: LastPerson
  readonly leadsBack: boolean
}) {
  if (last.state === 'ended')
    return (
      <Callout title={words('signIn.sessionEnded')} className="mb-5">
        {words(leadsBack ? 'signIn.sessionEndedBack' : 'signIn.sessionEndedNext')}
      </Callout>
    )
  const who = last.name ?? last.email
  return (
    <Callout
      title={who === null ? words('signIn.confirm') : words('signIn.confirmWho', { who })}
      className="mb-5"
    >
      {words('signIn.confirmNext')}
    </Callout>
  )
}

function StaffSignInPart({
  next,
  again,
  refused = null,
}: {
  readonly next: string | null
  readonly again: boolean
  /** `refused` says why single sign-on failed before. */
  readonly refused?: string | null
}) {
  const sso = singleSignOnPage()
  return (
    <StaffSignIn
      beginPasskey={passkeysWork() ? beginPasskeySignInAction : null}
      singleSignOn={sso && { name: sso.name, begin: beginSingleSignOnAction }}
      next={next}
      again={again}
      another={asksForAnother(readSignInRefusal(refused))}
    />
  )
}

/**
 * Single sign-on sent the person back here without a session; `code` comes from the address. `back` leads a person
 * who is signed in to the page that they came from.
 */
function SingleSignOnRefusal({ code, back }: { readonly code: string; readonly back: string | null }) {
  const why = readSignInRefusal(code)
  const wanted = why === 'sso-no-role' ? singleSignOnPage()?.wanted : null
  return (
    <RefusalCallout refusal={signInMessages[why]} className="mb-5">
      {wanted && ` ${wanted}`}
      {back && (
        <>
          {' '}
          <Link href={back} className="underline hover:text-text">
            Go back without it
          </Link>
        </>
      )}
    </RefusalCallout>
  )
}
