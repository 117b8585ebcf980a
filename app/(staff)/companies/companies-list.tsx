'use client'

import { clsx } from 'clsx'
import { Building2, CircleCheck, FilterX } from 'lucide-react'
import type { ReactNode } from 'react'
import { CheckEndpoints } from '#components/endpoints/check-endpoints.tsx'
import { StandingPill } from '#components/people/standing-pill.tsx'
import { subjectPath } from '#components/ui/browser/paths.ts'
import { Button } from '#components/ui/button.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { ButtonLink, Link } from '#components/ui/link.tsx'
import { AddressedList, useAddressedList } from '#components/ui/list/addressed-list.tsx'
import { type ListColumn, NoValue } from '#components/ui/list/list-rows.tsx'
import { defineList } from '#components/ui/list/use-list.ts'
import { Time } from '#components/ui/time.tsx'
import type { AllowedList } from '#lib/audit/export-ticket.ts'
import { statesOf } from '#lib/deliveries/rules/event-states.ts'
import { companyTypes } from '#lib/deliveries/rules/event-types.ts'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import type { CompanyPage, CompanyView } from '#lib/people/standings/list-companies.ts'
import type { KnownState } from '#lib/people/standings/standing-states.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { shortId } from '#lib/words/labels/formats.ts'
import { addressOf } from '../address-of.ts'
import { AttentionSegments, stateChoices } from '../attention-segments.tsx'
import { type CompaniesSearch, companiesAddress, readCompaniesSearch } from './search.ts'

const idOf = ({ subjectId }: CompanyView) => subjectId

const useCompanies = defineList<CompanyView, CompanyPage>({
  key: 'companies',
  idOf,
  subjects: subjectId({ kind: 'entity', id: '' }),
})

const exported = {
  noun: ['company', 'companies'],
  holds: 'A file of this list with verification, status and number of people.',
  address: '/api/standings/export',
  fields: { list: 'companies' },
} as const

const known = companyTypes.flatMap((type): readonly string[] => statesOf[type])

/** The list has its filter above it, and an export for roles that may have one. */
export function CompaniesList({
  rendered,
  states,
  allowExport,
}: {
  readonly rendered: { readonly search: CompaniesSearch; readonly page: CompanyPage; readonly at: number }
  readonly states: readonly KnownState[]
  readonly allowExport: Action<AllowedList> | null
}) {
  const list = useAddressedList(useCompanies, {
    read: readCompaniesSearch,
    routeOf: (search) => addressOf('/api/standings', { list: 'companies', ...search }),
    addressOf: companiesAddress,
    placeOf: ({ lastMoveAt }) => Date.parse(lastMoveAt),
    rendered,
  })
  const { search, filterBy } = list
  const { look, state } = search
  return (
    <>
      <div className="mt-5">
        <AttentionSegments
          name="Which companies"
          all={{ label: 'All', href: companiesAddress({ ...search, look: null, cursor: null }) }}
          attention={{
            label: 'Failed lately',
            href: companiesAddress({ ...search, look: '1', cursor: null }),
            count: 'companies',
            chosen: look !== null,
          }}
        />
      </div>
      <AddressedList
        of={list}
        name="Companies"
        noun={exported.noun}
        filters={[
          {
            name: 'state',
            label: 'Status',
            value: state,
            choices: stateChoices(companyTypes, known, states),
          },
        ]}
        exported={exported}
        allowExport={allowExport}
        columns={columns}
        idOf={idOf}
        empty={
          look && !state ? (
            <EmptyState
              icon={CircleCheck}
              title="No company failed lately"
              action={<ButtonLink href="/companies">All companies</ButtonLink>}
            />
          ) : state ? (
            <EmptyState
              icon={FilterX}
              title="No company matches this filter"
              action={<Button onClick={() => filterBy({ state: null })}>Clear the filter</Button>}
            />
          ) : (
            <EmptyState
              icon={Building2}
              title="No companies yet"
              action={<CheckEndpoints variant="primary" />}
            >
              A company appears here with the first event about its verification (KYB) or its status.
            </EmptyState>
          )
        }
      />
    </>
  )
}

/** The label tells the two values apart that are below each other on a phone. */
const Which = ({ children }: { readonly children: ReactNode }) => (
  <span className="block text-muted text-xs sm:hidden">{children}</span>
)

/** A narrow page keeps the company with its two statuses. */
const columns: readonly ListColumn<CompanyView>[] = [
  {
    name: 'Company',
    head: 'w-[40%] sm:w-40',
    of: ({ subjectId, id }) => (
      <Link href={subjectPath(subjectId, true)} data-row title={id} className="mono row-link">
        {shortId(id)}
      </Link>
    ),
  },
  {
    name: 'Verification',
    cell: 'whitespace-normal! py-1.5',
    of: ({ verification, entity }) => (
      <>
        {verification && entity && <Which>Verification</Which>}
        {verification ? (
          <StandingPill standing={verification} />
        ) : (
          <NoValue className={entity ? 'max-sm:hidden' : undefined} />
        )}
        {entity && (
          <span className={clsx('block sm:hidden', verification && 'mt-1')}>
            {verification && <Which>Status</Which>}
            <StandingPill standing={entity} />
          </span>
        )}
      </>
    ),
  },
  {
    name: 'Status',
    className: 'max-sm:hidden',
    cell: 'whitespace-normal! py-1.5',
    of: ({ entity }) => (entity ? <StandingPill standing={entity} /> : <NoValue />),
  },
  {
    name: 'People',
    numeric: true,
    className: 'max-md:hidden',
    head: 'w-24',
    of: ({ people }) => (people > 0 ? people : <NoValue />),
  },
  {
    name: 'First seen',
    className: 'max-lg:hidden pl-6',
    head: 'w-36',
    cell: 'num text-muted',
    of: ({ startedAt }) => <Time at={startedAt} style="minute" />,
  },
  {
    name: 'Updated',
    numeric: true,
    className: 'max-md:hidden',
    head: 'w-26',
    cell: 'text-muted',
    of: ({ lastMoveAt }) => <Time at={lastMoveAt} />,
  },
]
