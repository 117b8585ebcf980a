import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { TellCustomerCard } from '#components/transactions/tell-customer.tsx'
import { decodePathPart } from '#components/ui/browser/paths.ts'
import { RowKeys } from '#components/ui/browser/row-keys.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { RefreshOnChange } from '#components/ui/live/refresh.tsx'
import { PersonLink, SearchableText } from '#components/ui/search/searchable.tsx'
import { TimesNote } from '#components/ui/time.tsx'
import { may } from '#lib/access/rules/roles.ts'
import { stateOf } from '#lib/deliveries/rules/event-states.ts'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import { readPersonLanguage } from '#lib/people/list-people.ts'
import { type AccountDetailsView, getAccount } from '#lib/people/standings/list-accounts.ts'
import { factsOf } from '#lib/timeline/labels/event-facts.ts'
import { shortId } from '#lib/words/labels/formats.ts'
import { readWordsOfAll } from '../../../read-words.ts'
import { decidingEventView, EventTimeline } from '../../event-timeline.tsx'
import { AllTransactions } from '../../transactions/all-transactions.tsx'
import { SubjectsTable } from '../../transactions/subjects-table.tsx'
import { AccountCard, AccountHeading } from './account.tsx'

interface Props {
  readonly params: Promise<{ readonly id: string }>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: `Account ${shortId(decodePathPart((await params).id))}` }
}

/** The page streams nothing before the account is known to exist, so an unknown one is a 404. */
export default async function AccountPage({ params }: Props) {
  const id = decodePathPart((await params).id)
  const caller = await requirePage('see-everything', `/accounts/${encodeURIComponent(id)}`)
  const account = await getAccount(caller, id)
  if (!account) notFound()
  const latest = decidingEventView(account.events)
  const owner = account.events.findLast(({ entityUuid }) => entityUuid !== null)?.entityUuid ?? null
  const [all, first] = await Promise.all([readWordsOfAll(), readPersonLanguage(caller, owner)])
  const error = latest && factsOf(latest).find(({ path }) => path === 'error')
  return (
    <>
      <RowKeys />
      <RefreshOnChange subjects={[subjectId(account.subject)]} />
      <AccountHeading account={account} />
      <div className="mt-5 grid grid-cols-[minmax(0,1fr)] items-start gap-5 @min-[60rem]/main:grid-cols-[minmax(0,1fr)_21.25rem]">
        <div className="grid min-w-0 gap-5">
          <EventTimeline
            events={account.events}
            explained={latest ? [{ type: latest.type, state: stateOf(latest) }] : []}
            mayReplay={may(caller.role, 'replay-deliveries')}
          />
          <section aria-label="Transactions">
            <h2 className="mb-2 font-title text-muted text-sm">Transactions</h2>
            <Card>
              {account.transactions.length > 0 ? (
                <>
                  <SubjectsTable rows={account.transactions} first="Transaction" />
                  <AllTransactions
                    shown={account.transactions.length}
                    total={account.total}
                    of={{ account: account.subject.id }}
                  />
                </>
              ) : (
                <EmptyState title="No transactions with this account yet" />
              )}
            </Card>
          </section>
        </div>
        <div className="grid grid-cols-[minmax(0,1fr)] min-w-0 items-start gap-4 @2xl/main:grid-cols-2 @min-[60rem]/main:grid-cols-1">
          {latest && <TellCustomerCard event={latest} words={{ all, first }} />}
          <AccountCard id={account.subject.id} account={account.account} error={error?.value ?? null} />
          <PeopleCard events={account.events} />
        </div>
      </div>
      <p className="mt-4 text-muted text-sm">
        <TimesNote />
      </p>
    </>
  )
}

/** The card lists the people whom the account's events named. */
function PeopleCard({ events }: Pick<AccountDetailsView, 'events'>) {
  const emails = new Map(events.map(({ entityUuid, userEmail }) => [entityUuid, userEmail]))
  const people = [...emails].filter(([uuid]) => uuid !== null)
  if (people.length === 0) return null
  return (
    <Card title="Owner">
      <ul className="grid gap-2 text-table">
        {people.map(([uuid, email]) => (
          <li key={uuid} className="flex min-w-0 flex-wrap items-center gap-x-2">
            {email && <SearchableText text={email} className="wrap-anywhere" />}
            {uuid && <PersonLink userUuid={uuid} />}
          </li>
        ))}
      </ul>
    </Card>
  )
}
