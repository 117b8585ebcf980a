import { Card, Fact, Facts } from '#components/ui/card.tsx'
import { Link } from '#components/ui/link.tsx'
import { RevealedValue } from '#components/ui/reveal/revealed-value.tsx'
import { SearchableId } from '#components/ui/search/searchable-id.tsx'
import { SearchableText } from '#components/ui/search/searchable-text.tsx'
import { Time } from '#components/ui/time.tsx'
import type { PersonDetailsView } from '#lib/people/get-person.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { countryName } from '#lib/words/labels/country-name.ts'

/** What the service and the directory hold of a person. */
export function PersonProfile({
  details: { userUuid, isCompany, person, profile, wallets, hasMoreWallets },
  reveal,
}: {
  readonly details: PersonDetailsView
  /** How to ask for the date of birth; null where the role may not, or need not. */
  readonly reveal: Action<{ readonly value: string }> | null
}) {
  return (
    <Card title="Profile">
      {profile.kind === 'unknown' && (
        <p className="mb-3 text-muted text-sm">
          {isCompany
            ? 'The service gives no profile of a company: what is known of it was delivered.'
            : 'The service knows no user of this uuid: it may be a company, of which nothing was said yet.'}
        </p>
      )}
      <Facts>
        {person?.name && <Fact name="Name">{person.name}</Fact>}
        {person?.email && (
          <Fact name="E-mail">
            <SearchableText text={person.email} />
          </Fact>
        )}
        {profile.kind === 'read' && profile.dateOfBirth && (
          <Fact name="Born">
            {reveal ? (
              <RevealedValue
                masked={profile.dateOfBirth}
                label="Show the date"
                action={reveal}
                fields={{ person: userUuid }}
              />
            ) : (
              profile.dateOfBirth
            )}
          </Fact>
        )}
        {profile.kind === 'read' && profile.address.length > 0 && (
          <Fact name="Address">
            {profile.address.map((line) => (
              <span key={line} className="block">
                {line}
              </span>
            ))}
          </Fact>
        )}
        {person?.country && <Fact name="Country">{countryName(person.country)}</Fact>}
        {wallets.length > 0 && (
          <Fact name={wallets.length === 1 ? 'Wallet' : 'Wallets'}>
            {wallets.map(({ address, signsIn, created, used }) => (
              <span key={address} className="not-first:mt-1.5 flex flex-wrap items-center gap-x-1.5">
                <SearchableId id={address} />
                <span className="text-muted text-xs">
                  {[signsIn && 'signs in', created && 'created', used && 'used in transactions']
                    .filter(Boolean)
                    .join(', ')}
                </span>
              </span>
            ))}
            {hasMoreWallets && (
              <span className="block text-muted text-sm">
                The latest {wallets.length}. Others are named by{' '}
                <Link
                  href={`/transactions?user=${userUuid}`}
                  className="underline underline-offset-2 hover:text-text"
                >
                  the transactions
                </Link>
                .
              </span>
            )}
          </Fact>
        )}
        {person && (
          <Fact name="Known since">
            <Time at={person.since} style="exact" className="num" />
          </Fact>
        )}
      </Facts>
    </Card>
  )
}
