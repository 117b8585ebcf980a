import type { ProfileAnswer } from '#lib/account/get-profile.ts'
import { countryName } from '#lib/labels/country-name.ts'
import { RefusalCallout } from '../refusal-callout.tsx'
import { Callout } from '../ui/callout.tsx'
import { Card, Fact, Facts } from '../ui/card.tsx'
import { Pill } from '../ui/pill.tsx'
import { ShortId } from '../ui/short-id.tsx'
import { verificationLabel } from './verification-label.ts'

/** What the service holds of the person, and how far their verification is. */
export function ProfileCard({ answer }: { readonly answer: ProfileAnswer }) {
  const { profile } = answer
  const name = [profile?.firstName, profile?.lastName].filter(Boolean).join(' ')
  return (
    <Card title="Profile">
      {answer.kind === 'sign-in-again' && (
        <Callout kind="warning" title="Sign in again to see all of it." className="mb-3">
          Your session at the payment service has ended.{' '}
          <a href="/sign-in?again=1&next=/account" className="underline">
            Sign in again
          </a>
        </Callout>
      )}
      {answer.kind === 'unavailable' && (
        <RefusalCallout refusal={answer} className="mb-3">
          {profile && ' Below is what was known last.'}
        </RefusalCallout>
      )}
      {profile && (
        <Facts>
          {profile.status && (
            <Fact name="Verification">
              <Pill tone={verificationLabel(profile.status).tone}>
                {verificationLabel(profile.status).label}
              </Pill>
            </Fact>
          )}
          {name && <Fact name="Name">{name}</Fact>}
          {profile.email && <Fact name="E-mail">{profile.email}</Fact>}
          {profile.country && <Fact name="Country">{countryName(profile.country)}</Fact>}
          <Fact name="Wallet">
            {profile.targetAddress ? (
              <ShortId id={profile.targetAddress} />
            ) : (
              <span className="text-muted">None</span>
            )}
          </Fact>
          <Fact name="Your reference">
            <ShortId id={profile.userUuid} />
          </Fact>
        </Facts>
      )}
    </Card>
  )
}
