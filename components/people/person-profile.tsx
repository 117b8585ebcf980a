import { CameAgain, EventMarks, UndecidedState } from '#components/timeline/event-marks.tsx'
import { personPath, subjectPath } from '#components/ui/browser/paths.ts'
import { Card, Fact, Facts } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { Link } from '#components/ui/link.tsx'
import { PageLinks } from '#components/ui/list/page-links.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { RevealedValue } from '#components/ui/reveal/reveal.tsx'
import { SearchableId, SearchableText } from '#components/ui/search/searchable.tsx'
import { Time } from '#components/ui/time.tsx'
import { parseSubjectId } from '#lib/deliveries/rules/subject.ts'
import type { PersonDetailsView } from '#lib/people/get-person.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import type { EventPage, EventView } from '#lib/timeline/event-view.ts'
import { eventLabel } from '#lib/timeline/labels/event-labels.ts'
import { eventTypeLabel } from '#lib/timeline/labels/event-type-labels.ts'
import { latestWords } from '#lib/timeline/rules/subject-event.ts'
import { countryName, shortId } from '#lib/words/labels/formats.ts'
import { worstFirst } from '#lib/words/labels/worst-first.ts'
import { StandingPill } from './standing-pill.tsx'

/** The card shows the data of the service and the directory about a person. */
export function PersonProfile({
  details: { userUuid, isCompany, person, profile, wallets, hasMoreWallets },
  reveal,
}: {
  readonly details: PersonDetailsView
  /** `reveal` asks for the date of birth; null when the role may not, or need not. */
  readonly reveal: Action<{ readonly value: string }> | null
}) {
  return (
    <Card title="Profile">
      {profile.kind === 'unknown' && (
        <p className="mb-3 text-muted text-sm">
          {isCompany
            ? 'The provider shares no company profile.'
            : 'The provider knows no user with this ID. It may be a company without events.'}
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
          <Fact name="First seen">
            <Time at={person.since} style="clock" className="num" />
          </Fact>
        )}
      </Facts>
    </Card>
  )
}

/** The latest standing of each type of a person or company shows its state, what it means, and who must act. */
export function PersonStandings({
  standings,
  undecided,
}: {
  readonly standings: PersonDetailsView['standings']
  /** A standing depends on the doubt of these events. */
  readonly undecided: readonly EventView[]
}) {
  if (standings.length === 0) return null
  return (
    <Card title="Verification and checks">
      <ul className="grid gap-3">
        {worstFirst(standings).map((standing) => {
          const { type, state, restricted, lastMoveAt } = standing
          const { meaning, next } = eventLabel({ type, subType: state, status: state, restricted })
          return (
            <li key={type} className="min-w-0 text-table">
              <p className="flex flex-wrap items-baseline gap-x-2.5 gap-y-1">
                <span className="min-w-28 font-label">{eventTypeLabel(type).label}</span>
                <span className="flex min-w-0 flex-1 basis-40 flex-wrap items-center gap-x-2.5 gap-y-1">
                  <StandingPill standing={standing} />
                  <Time at={lastMoveAt} className="num text-muted text-xs" />
                </span>
              </p>
              <p className="mt-0.5 text-muted">
                {meaning ?? eventTypeLabel(type).meaning} {next}
              </p>
              <UndecidedState events={undecided.filter((event) => event.type === type)} />
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

/** The bank accounts, companies and people are links. */
export function PersonLinks({
  details: { accounts, companies, people },
}: {
  readonly details: PersonDetailsView
}) {
  return (
    <>
      {accounts.length > 0 && (
        <Card title="Bank accounts">
          <ul className="grid gap-2.5">
            {accounts.map((account) => (
              <li key={account.subjectId} className="flex flex-wrap items-center gap-x-2 gap-y-1 text-table">
                <Link href={subjectPath(account.subjectId)} className="mono underline underline-offset-2">
                  {shortId(parseSubjectId(account.subjectId)?.id ?? account.subjectId)}
                </Link>
                {'latest' in account && (
                  <>
                    <Pill tone={eventLabel(account.latest).tone}>{eventLabel(account.latest).label}</Pill>
                    <span className="text-muted text-xs">{eventTypeLabel(account.latest.type).label}</span>
                  </>
                )}
              </li>
            ))}
          </ul>
        </Card>
      )}
      {companies.length > 0 && (
        <Card title={companies.length === 1 ? 'Company' : 'Companies'}>
          <ul className="grid gap-2">
            {companies.map((uuid) => (
              <li key={uuid}>
                <Link href={personPath(uuid, true)} className="mono text-table underline underline-offset-2">
                  {shortId(uuid)}
                </Link>
              </li>
            ))}
          </ul>
        </Card>
      )}
      {people.length > 0 && (
        <Card title="Its people">
          <ul className="grid gap-2">
            {people.map(({ userUuid, name, email }) => (
              <li key={userUuid}>
                <Link href={`/users/${userUuid}`} className="text-table underline underline-offset-2">
                  {name ?? email ?? shortId(userUuid)}
                </Link>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  )
}

/** All events of a person or a company come newest first, of every type. Each opens its subject, or itself. */
export function PersonEvents({
  events: { rows, older },
  here,
  turned,
  isCompany = false,
}: {
  readonly events: EventPage
  readonly here: string
  /** `turned`: this is not the newest page. */
  readonly turned: boolean
  readonly isCompany?: boolean
}) {
  const latest = turned ? new Set<string>() : latestWords(rows)
  return (
    <section id="timeline" aria-label="Timeline">
      <h2 className="mb-2 font-title text-muted text-sm">Timeline</h2>
      <Card>
        {rows.length > 0 ? (
          <ol>
            {rows.map((event) => (
              <Line key={event.id} event={event} here={here} isLatestWord={latest.has(event.id)} />
            ))}
          </ol>
        ) : (
          <EmptyState
            title={
              turned
                ? 'Nothing more here'
                : `Nothing was received about this ${isCompany ? 'company' : 'person'} yet`
            }
          />
        )}
        <PageLinks
          newest={turned ? `${here}#timeline` : null}
          older={older && `${here}?before=${older}#timeline`}
        />
      </Card>
    </section>
  )
}

function Line({
  event,
  here,
  isLatestWord,
}: {
  readonly event: EventView
  readonly here: string
  readonly isLatestWord: boolean
}) {
  const { label, tone } = eventLabel(event)
  const about = subjectPath(event.subjectId)
  return (
    <li className="relative grid gap-x-4 gap-y-1 border-b px-3.5 py-2.5 text-table last:border-b-0 hover:bg-hover sm:grid-cols-[7.5rem_minmax(0,1fr)_auto]">
      <Time at={event.cameAgainAt ?? event.firstReceivedAt} style="clock" className="mono text-muted" />
      <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
        <Link href={about === here ? `/timeline?event=${event.id}` : about} data-row className="row-link">
          {eventTypeLabel(event.type).label}
        </Link>
        <Pill tone={tone}>{label}</Pill>
        {event.transactionUuid && (
          <span className="mono text-muted text-sm" title={event.transactionUuid}>
            {shortId(event.transactionUuid)}
          </span>
        )}
        {isLatestWord && <span className="text-muted text-xs">latest</span>}
        <EventMarks event={event} />
        <CameAgain event={event} className="basis-full" />
      </span>
      <span className="num text-muted text-xs">
        {event.deliveries > 1 && `${event.deliveries} deliveries`}
      </span>
    </li>
  )
}
