import { countryName } from '#lib/labels/country-name.ts'
import { shortId } from '#lib/labels/short-id.ts'
import type { PersonView } from '#lib/people/person-view.ts'
import { CalmTable } from '../live/calm-table.tsx'
import { StandingPill } from '../standing-pill.tsx'
import { Link } from '../ui/link.tsx'
import { Td, Th, Tr } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { UserStatusPill } from './user-status-pill.tsx'

/** Everybody in a row; a narrow page keeps who it is and how the verification stands. */
export function PeopleTable({
  people,
  list,
  isFirst,
}: {
  readonly people: readonly PersonView[]
  /** Tells the list and its page from others. */
  readonly list: string
  readonly isFirst: boolean
}) {
  return (
    <CalmTable
      key={list}
      isFirst={isFirst}
      head={
        <thead>
          <tr>
            <Th className="w-[55%] sm:w-[36%] lg:w-[32%]">Person</Th>
            <Th className="w-34 max-sm:hidden">Customer number</Th>
            <Th>Verification</Th>
            <Th className="w-20 max-md:hidden">Country</Th>
            <Th className="w-36 max-xl:hidden">Id</Th>
            <Th className="max-md:hidden">Known since</Th>
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
              <Verification person={person} />
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

/** The service's word; until it was read, what the events say. */
function Verification({ person: { status, kyc, doubt = null } }: { readonly person: PersonView }) {
  if (status !== null) return <UserStatusPill status={status} doubt={doubt} />
  if (kyc) return <StandingPill standing={{ ...kyc, doubt }} />
  return (
    <span
      className="text-muted text-sm"
      title="It comes with the profile, which the service was not asked for yet."
    >
      not read yet
    </span>
  )
}

const Nothing = () => <span className="text-faint">–</span>
