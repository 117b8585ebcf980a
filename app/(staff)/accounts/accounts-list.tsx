'use client'

import { CircleCheck, FilterX, Landmark } from 'lucide-react'
import { CheckEndpoints } from '#components/endpoints/check-endpoints.tsx'
import { StandingPill } from '#components/people/standing-pill.tsx'
import { subjectPath } from '#components/ui/browser/paths.ts'
import { Button } from '#components/ui/button.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { ButtonLink, Link } from '#components/ui/link.tsx'
import { AddressedList, useAddressedList } from '#components/ui/list/addressed-list.tsx'
import { type ListColumn, NoValue } from '#components/ui/list/list-rows.tsx'
import { defineList } from '#components/ui/list/use-list.ts'
import { RowPerson } from '#components/ui/search/searchable.tsx'
import { Time } from '#components/ui/time.tsx'
import type { AllowedList } from '#lib/audit/export-ticket.ts'
import { accountTypes } from '#lib/deliveries/rules/event-types.ts'
import { accountStatuses } from '#lib/deliveries/rules/steps.ts'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import type { AccountListPage } from '#lib/people/standings/list-accounts.ts'
import type { KnownState } from '#lib/people/standings/standing-states.ts'
import type { StandingView } from '#lib/people/standings/standings.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { eventTypeLabel } from '#lib/timeline/labels/event-type-labels.ts'
import { shortId } from '#lib/words/labels/formats.ts'
import { addressOf } from '../address-of.ts'
import { AttentionSegments, stateChoices } from '../attention-segments.tsx'
import { type AccountsSearch, accountsAddress, readAccountsSearch } from './search.ts'

const idOf = ({ subjectId, type }: StandingView) => `${subjectId} ${type}`

const useAccounts = defineList<StandingView, AccountListPage>({
  key: 'accounts',
  idOf,
  subjects: subjectId({ kind: 'bank-account', id: '' }),
})

const exported = {
  noun: ['account', 'accounts'],
  holds: 'A file of this list with status, currency and user IDs.',
  address: '/api/standings/export',
  fields: { list: 'accounts' },
} as const

/** The list has its filters above it, and an export for roles that may have one. */
export function AccountsList({
  rendered,
  states,
  currencies,
  allowExport,
}: {
  readonly rendered: { readonly search: AccountsSearch; readonly page: AccountListPage; readonly at: number }
  readonly states: readonly KnownState[]
  readonly currencies: readonly string[]
  readonly allowExport: Action<AllowedList> | null
}) {
  const list = useAddressedList(useAccounts, {
    read: readAccountsSearch,
    routeOf: (search) => addressOf('/api/standings', { list: 'accounts', ...search }),
    addressOf: accountsAddress,
    placeOf: ({ lastMoveAt }) => Date.parse(lastMoveAt),
    rendered,
  })
  const { search, filterBy } = list
  const { look, type, state, currency } = search
  const narrowed = [type, state, currency].some((value) => value !== null)
  return (
    <>
      <div className="mt-5">
        <AttentionSegments
          name="Which accounts"
          all={{ label: 'All', href: accountsAddress({ ...search, look: null, cursor: null }) }}
          attention={{
            label: 'Failed lately',
            href: accountsAddress({ ...search, look: '1', cursor: null }),
            count: 'accounts',
            chosen: look !== null,
          }}
        />
      </div>
      <AddressedList
        of={list}
        name="Accounts"
        noun={exported.noun}
        filters={[
          {
            name: 'type',
            label: 'Kind',
            value: type,
            choices: accountTypes.map((type) => [type, eventTypeLabel(type).label]),
          },
          {
            name: 'state',
            label: 'Status',
            value: state,
            choices: stateChoices(accountTypes, accountStatuses, states),
          },
          {
            name: 'currency',
            label: 'Currency',
            value: currency,
            choices: currencies.map((currency) => [currency, currency]),
          },
        ]}
        exported={exported}
        allowExport={allowExport}
        columns={columns}
        idOf={idOf}
        empty={
          look && !narrowed ? (
            <EmptyState
              icon={CircleCheck}
              title="No account failed lately"
              action={<ButtonLink href="/accounts">All accounts</ButtonLink>}
            />
          ) : narrowed ? (
            <EmptyState
              icon={FilterX}
              title="No account matches these filters"
              action={
                <Button onClick={() => filterBy({ type: null, state: null, currency: null })}>
                  Clear the filters
                </Button>
              }
            />
          ) : (
            <EmptyState icon={Landmark} title="No accounts yet" action={<CheckEndpoints variant="primary" />}>
              An account appears here with its first event.
            </EmptyState>
          )
        }
      />
    </>
  )
}

const personOf = ({ entityUuid, userEmail }: StandingView) =>
  entityUuid === null ? userEmail : <RowPerson userUuid={entityUuid} email={userEmail} />

/** A narrow page keeps the account with its person, and its state. */
const columns: readonly ListColumn<StandingView>[] = [
  {
    name: 'Account',
    head: 'w-1/2 md:w-48',
    cell: 'h-auto py-2',
    of: (account) => (
      <>
        <Link href={subjectPath(account.subjectId)} data-row title={account.id} className="mono row-link">
          {shortId(account.id)}
        </Link>
        <span
          title={account.userEmail ?? account.entityUuid ?? undefined}
          className="wrap-anywhere block whitespace-normal text-muted text-xs lg:hidden"
        >
          <span className="sm:hidden">{account.currency && `${account.currency} · `}</span>
          {personOf(account)}
        </span>
      </>
    ),
  },
  {
    name: 'Status',
    head: 'md:w-48 lg:w-[22%]',
    cell: 'whitespace-normal!',
    of: (account) => <StandingPill standing={account} />,
  },
  {
    name: 'Kind',
    className: 'max-md:hidden',
    cell: 'whitespace-normal! text-muted leading-snug',
    of: ({ type }) => eventTypeLabel(type).label,
  },
  {
    name: 'Currency',
    className: 'max-sm:hidden',
    head: 'w-20',
    of: ({ currency }) => currency ?? <NoValue />,
  },
  {
    name: 'Person',
    className: 'max-lg:hidden',
    title: ({ userEmail }) => userEmail,
    of: (account) => personOf(account) ?? <NoValue />,
  },
  {
    name: 'First seen',
    className: 'max-xl:hidden',
    head: 'w-30',
    cell: 'num text-muted',
    of: ({ startedAt }) => <Time at={startedAt} style="minute" />,
  },
  {
    name: 'Updated',
    numeric: true,
    className: 'max-sm:hidden',
    head: 'w-26',
    cell: 'text-muted',
    of: ({ lastMoveAt }) => <Time at={lastMoveAt} />,
  },
]
