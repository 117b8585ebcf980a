'use client'

import { CircleCheck } from 'lucide-react'
import { StandingPill } from '#components/people/standing-pill.tsx'
import { subjectPath } from '#components/ui/browser/paths.ts'
import type { AddressQuery } from '#components/ui/browser/use-address.ts'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { ButtonLink, Link } from '#components/ui/link.tsx'
import { AddressedList, useAddressedList } from '#components/ui/list/addressed-list.tsx'
import type { ListColumn } from '#components/ui/list/list-rows.tsx'
import { defineList } from '#components/ui/list/use-list.ts'
import { Time } from '#components/ui/time.tsx'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import type {
  PeopleNeedingAttentionPage,
  PersonNeedingAttention,
} from '#lib/people/list-people-needing-attention.ts'
import { shortId } from '#lib/words/labels/formats.ts'
import { addressOf } from '../address-of.ts'

const idOf = ({ subjectId }: PersonNeedingAttention) => subjectId

const usePeopleNeedingAttention = defineList<PersonNeedingAttention, PeopleNeedingAttentionPage>({
  key: 'people-needing-attention',
  idOf,
  subjects: subjectId({ kind: 'entity', id: '' }),
})

const readSearch = (query: AddressQuery) => ({ look: '1', cursor: query.get('cursor') })

/** The list has the people whom the navigation counts, with the standing that needs attention. */
export function PeopleNeedingAttention({
  rendered: { cursor, ...rendered },
  isWhole,
}: {
  readonly rendered: {
    readonly cursor: string | null
    readonly page: PeopleNeedingAttentionPage
    readonly at: number
  }
  /** `isWhole` is false for roles that may not know of every check. */
  readonly isWhole: boolean
}) {
  const list = useAddressedList(usePeopleNeedingAttention, {
    read: readSearch,
    routeOf: ({ cursor }) => addressOf('/api/standings', { list: 'people', cursor }),
    addressOf: (search) => addressOf('/users', search),
    placeOf: ({ lastMoveAt }) => Date.parse(lastMoveAt),
    rendered: { ...rendered, search: { look: '1', cursor } },
  })
  return (
    <AddressedList
      of={list}
      name="Needs attention"
      noun={['person', 'people']}
      columns={columns}
      idOf={idOf}
      empty={
        <EmptyState
          icon={CircleCheck}
          title="Nobody needs attention"
          action={<ButtonLink href="/users">Everybody</ButtonLink>}
        >
          {!isWhole && 'Checks that are for compliance alone are not listed here.'}
        </EmptyState>
      }
    />
  )
}

const columns: readonly ListColumn<PersonNeedingAttention>[] = [
  {
    name: 'Person',
    head: 'w-[55%] sm:w-[40%]',
    cell: 'h-auto py-2.5',
    of: ({ subjectId, id, person }) => {
      const named = person?.email ?? person?.name
      return (
        <>
          <Link
            href={subjectPath(subjectId)}
            data-row
            title={named ?? id}
            className="block truncate font-strong row-link"
          >
            {named ?? <span className="mono">{shortId(id)}</span>}
          </Link>
          {person?.email && person.name && (
            <span title={person.name} className="block truncate text-muted text-sm">
              {person.name}
            </span>
          )}
        </>
      )
    },
  },
  {
    name: 'What needs attention',
    cell: 'whitespace-normal! py-1.5',
    of: ({ said }) => (
      <span className="flex flex-wrap gap-1">
        {said.map((one) => (
          <StandingPill key={one.type} standing={one} />
        ))}
      </span>
    ),
  },
  {
    name: 'Updated',
    numeric: true,
    className: 'max-sm:hidden',
    head: 'w-24',
    cell: 'text-muted',
    of: ({ lastMoveAt }) => <Time at={lastMoveAt} />,
  },
]
