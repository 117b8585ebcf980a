import { Link } from '#components/ui/link.tsx'
import { StableTable } from '#components/ui/live/stable-table.tsx'
import { Td, Th, Tr } from '#components/ui/table.tsx'
import { Time } from '#components/ui/time.tsx'
import type { PersonView } from '#lib/people/person-view.ts'
import { countryName } from '#lib/words/labels/country-name.ts'
import { shortId } from '#lib/words/labels/formats.ts'
import { PersonStatuses } from './standing-pill.tsx'

/** Each person is a row. A narrow page keeps the name and the statuses. */
export function PeopleTable({
  people,
  list,
  isFirst,
}: {
  readonly people: readonly PersonView[]
  /** `list` tells the list and its page from others. */
  readonly list: string
  readonly isFirst: boolean
}) {
  return (
    <StableTable
      key={list}
      isFirst={isFirst}
      head={
        <thead>
          <tr>
            <Th className="w-[55%] sm:w-[36%] lg:w-[32%]">Person</Th>
            <Th className="w-34 max-sm:hidden">Customer number</Th>
            <Th>Status</Th>
            <Th className="w-20 max-md:hidden">Country</Th>
            <Th className="w-36 max-xl:hidden">ID</Th>
            <Th className="max-md:hidden">First seen</Th>
          </tr>
        </thead>
      }
      rows={people.map((person) => ({
        id: person.userUuid,
        row: (
          <Tr className="relative transition-colors hover:bg-hover">
            <Td className="h-auto py-2.5">
              <Link
                href={`/users/${person.userUuid}`}
                data-row
                title={person.email ?? person.name ?? person.userUuid}
                className="block truncate font-strong row-link"
              >
                {person.email ?? person.name ?? <span className="mono">{shortId(person.userUuid)}</span>}
              </Link>
              <span title={person.name ?? undefined} className="block truncate text-muted text-sm">
                {person.email === null ? null : person.name}
                {person.customerNumber && <span className="sm:hidden"> {person.customerNumber}</span>}
              </span>
            </Td>
            <Td className="max-sm:hidden" title={person.customerNumber ?? undefined}>
              {person.customerNumber ?? <Nothing />}
            </Td>
            <Td className="whitespace-normal! py-1.5">
              <Statuses person={person} />
            </Td>
            <Td className="text-muted max-md:hidden">
              {person.country ? countryName(person.country) : <Nothing />}
            </Td>
            <Td className="mono text-muted max-xl:hidden" title={person.userUuid}>
              {shortId(person.userUuid)}
            </Td>
            <Td className="text-muted max-md:hidden">
              <Time at={person.since} />
            </Td>
          </Tr>
        ),
      }))}
    />
  )
}

/** The events give the statuses until the service was asked. */
function Statuses({ person: { status, standings = [], doubt = null } }: { readonly person: PersonView }) {
  if (status !== null || standings.some(({ type }) => type === 'KYC'))
    return (
      <span className="flex flex-wrap gap-1">
        <PersonStatuses status={status} standings={standings} doubt={doubt} />
      </span>
    )
  return (
    <span className="flex flex-wrap items-center gap-1">
      <PersonStatuses status={null} standings={standings} />
      <span className="text-muted text-sm" title="It comes with the profile, which is not loaded yet.">
        not read yet
      </span>
    </span>
  )
}

const Nothing = () => <span className="text-faint">–</span>
