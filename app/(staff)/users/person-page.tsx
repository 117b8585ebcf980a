import type { Metadata } from 'next'
import { notFound, redirect } from 'next/navigation'
import { CustomerNumberForm, EndOfData } from '#components/people/person-actions.tsx'
import { ErasedPerson, personAlerts } from '#components/people/person-alerts.tsx'
import {
  PersonEvents,
  PersonLinks,
  PersonProfile,
  PersonStandings,
} from '#components/people/person-profile.tsx'
import { SignInHelpCard } from '#components/people/sign-in-help-card.tsx'
import { PersonStatuses, StandingPill } from '#components/people/standing-pill.tsx'
import { decodePathPart, personPath } from '#components/ui/browser/paths.ts'
import { RowKeys } from '#components/ui/browser/row-keys.tsx'
import { Card } from '#components/ui/card.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { ButtonLink } from '#components/ui/link.tsx'
import { RefreshOnChange } from '#components/ui/live/refresh.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { SearchableText } from '#components/ui/search/searchable.tsx'
import { AlertSlot } from '#components/ui/shared/alert-slot.tsx'
import { ShortId } from '#components/ui/short-id.tsx'
import { TimesNote } from '#components/ui/time.tsx'
import { may } from '#lib/access/rules/roles.ts'
import { visibilityOf } from '#lib/access/rules/visibility.ts'
import { somethingOf, subjectId } from '#lib/deliveries/rules/subject.ts'
import { readRequestContext, requirePage } from '#lib/identity/sessions/read-request.ts'
import { findErasure } from '#lib/people/erasure/erasure-store.ts'
import { getPerson, type PersonDetailsView } from '#lib/people/get-person.ts'
import { isLowerCaseUuid } from '#lib/platform/rules/ids.ts'
import { languageOfCountry } from '#lib/platform/rules/language.ts'
import { companyHeadline } from '#lib/timeline/labels/event-profile-headlines.ts'
import { listEvents, listUndecided } from '#lib/timeline/list-events.ts'
import { getSubject, type SubjectDetailsView } from '#lib/timeline/subject-details.ts'
import { listTransactions } from '#lib/transactions/list-transactions.ts'
import { shortId } from '#lib/words/labels/formats.ts'
import { readWordsOfAll } from '../../read-words.ts'
import { companyProviderText } from '../accounts/[id]/account.tsx'
import { revealBirthDateAction } from '../actions.ts'
import { addressOf } from '../address-of.ts'
import { EventTimeline } from '../event-timeline.tsx'
import { AllTransactions } from '../transactions/all-transactions.tsx'
import { SubjectsTable } from '../transactions/subjects-table.tsx'
import {
  allowExportAction,
  endPersonSessionsAction,
  eraseUserAction,
  setCustomerNumberAction,
} from './actions.ts'

/** Next gives these to the page of one person or company. */
export interface PersonPageProps {
  readonly params: Promise<{ readonly uuid: string }>
  readonly searchParams: Promise<{ readonly before?: string | string[] }>
}

const uuidOf = async (params: PersonPageProps['params']) => decodePathPart((await params).uuid).toLowerCase()

export async function personMetadata(
  { params }: PersonPageProps,
  amongCompanies: boolean,
): Promise<Metadata> {
  return { title: `${amongCompanies ? 'Company' : 'Person'} ${shortId(await uuidOf(params))}` }
}

/**
 * The page is that of a person or a company. A wrong address of the two leads on to the other. It streams nothing
 * before the person is known to exist.
 */
export async function personPage({ params, searchParams }: PersonPageProps, amongCompanies: boolean) {
  const uuid = await uuidOf(params)
  const here = personPath(uuid, amongCompanies)
  const caller = await requirePage('see-everything', here)
  const given = [(await searchParams).before].flat()[0]
  const before = given !== undefined && isLowerCaseUuid(given) ? given : undefined
  const leadOn = (isCompany: boolean) => {
    if (isCompany !== amongCompanies) redirect(addressOf(personPath(uuid, isCompany), { before }))
  }
  const erasure = await findErasure(caller, uuid)
  if (erasure) {
    leadOn(erasure.isCompany)
    return <ErasedPerson erasure={erasure} />
  }
  const details = await getPerson(caller, uuid, await readRequestContext())
  if (!details) notFound()
  const { isCompany } = details
  leadOn(isCompany)
  const [transactions, own, undecided, events, all] = await Promise.all([
    listTransactions(caller, { userUuid: uuid, limit: 10 }),
    getSubject(caller, subjectId({ kind: 'entity', id: uuid }), newestOwn),
    listUndecided(caller, uuid),
    listEvents(caller, { userUuid: uuid, limit: 20, before }),
    readWordsOfAll(),
  ])
  const { person, signIn } = details
  return (
    <>
      <RowKeys />
      <RefreshOnChange
        subjects={[
          subjectId({ kind: 'entity', id: uuid }),
          // A transaction may not be listed here yet.
          somethingOf(uuid),
          ...transactions.rows.map((transaction) => transaction.subjectId),
        ]}
      />
      <Heading
        details={details}
        own={own}
        mayManage={may(caller.role, 'manage-people')}
        mayReadAudit={may(caller.role, 'read-audit')}
      />
      <AlertSlot alerts={personAlerts(details)} className="mt-4" />
      <div className="mt-5 grid grid-cols-[minmax(0,1fr)] items-start gap-5 @min-[60rem]/main:grid-cols-[minmax(0,1fr)_22.5rem]">
        <div className="grid min-w-0 gap-5">
          <PersonStandings standings={details.standings} undecided={undecided} />
          <section aria-label="Transactions">
            <h2 className="mb-2 font-title text-muted text-sm">Transactions</h2>
            <Card>
              {transactions.rows.length > 0 ? (
                <>
                  <SubjectsTable rows={transactions.rows} first="Transactions" />
                  <AllTransactions
                    shown={transactions.rows.length}
                    total={transactions.total}
                    of={{ userUuid: uuid }}
                  />
                </>
              ) : (
                <EmptyState title="No transactions yet" />
              )}
            </Card>
          </section>
          {own && (
            <EventTimeline
              title="Activity"
              events={own.events}
              explained={details.standings}
              mayReplay={may(caller.role, 'replay-deliveries')}
              words={{ all, first: languageOfCountry(details.person?.country ?? null) }}
            />
          )}
          <PersonEvents events={events} here={here} turned={before !== undefined} isCompany={isCompany} />
        </div>
        <div className="grid grid-cols-[minmax(0,1fr)] min-w-0 items-start gap-4 @2xl/main:grid-cols-2 @min-[60rem]/main:grid-cols-1">
          <PersonProfile
            details={details}
            reveal={visibilityOf(caller.role, 'birth-date') === 'reveal' ? revealBirthDateAction : null}
          />
          {person && (
            <CustomerNumberForm
              set={may(caller.role, 'work-on-cases') ? setCustomerNumberAction : null}
              userUuid={uuid}
              customerNumber={person.customerNumber}
            />
          )}
          <PersonLinks details={details} />
          {signIn && (
            <SignInHelpCard
              userUuid={uuid}
              help={signIn}
              end={may(caller.role, 'manage-people') ? endPersonSessionsAction : null}
            />
          )}
        </div>
      </div>
      <p className="mt-4 text-muted text-sm">
        <TimesNote />
      </p>
    </>
  )
}

/** The page shows this many events of the person or company itself; older ones are in the timeline. */
const newestOwn = 20

function Heading({
  details: { userUuid, isCompany, person, standings, signIn },
  own,
  mayManage,
  mayReadAudit,
}: {
  readonly details: PersonDetailsView
  /** `own` has the newest events of the person or company itself. */
  readonly own: SubjectDetailsView | null
  readonly mayManage: boolean
  readonly mayReadAudit: boolean
}) {
  const company = companyHeadline(standings)
  // A bounce that is over stands in the card about signing in.
  const present = standings.filter(
    ({ type }) => type !== 'otpNotification' || signIn?.bounce?.lasts !== false,
  )
  const title = person?.name ?? person?.email ?? (isCompany ? company.sentence : 'No name known')
  return (
    <PageHeader
      title={
        <span className="flex flex-wrap items-center gap-2.5">
          <span className="wrap-anywhere">{title}</span>
          {isCompany ? (
            company.deciding && <StandingPill standing={company.deciding} />
          ) : (
            <PersonStatuses person={person} standings={present} />
          )}
        </span>
      }
      actions={
        <>
          {isCompany && own && (
            <CopyButton text={companyProviderText(own, newestOwn)}>Copy for provider</CopyButton>
          )}
          {mayReadAudit && (
            <ButtonLink href={`/audit?about=${userUuid}&action=read.`}>Who read this</ButtonLink>
          )}
          {mayManage && (
            <EndOfData
              userUuid={userUuid}
              isCompany={isCompany}
              called={person?.name ?? person?.email ?? null}
              named={person?.email ?? userUuid}
              allowExport={allowExportAction}
              erase={eraseUserAction}
            />
          )}
        </>
      }
    >
      <span className="flex flex-wrap items-center gap-x-2">
        <ShortId id={userUuid} whole className="text-sm" />
        {person?.name && person.email && <SearchableText text={person.email} className="wrap-anywhere" />}
        {person?.customerNumber && (
          <span>
            customer <SearchableText text={person.customerNumber} />
          </span>
        )}
      </span>
    </PageHeader>
  )
}
