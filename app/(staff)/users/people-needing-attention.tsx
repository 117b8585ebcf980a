import { CircleCheck } from 'lucide-react'
import { redirect } from 'next/navigation'
import { StandingPill } from '#components/people/standing-pill.tsx'
import { subjectPath } from '#components/ui/browser/paths.ts'
import { RowKeys } from '#components/ui/browser/row-keys.tsx'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { Link } from '#components/ui/link.tsx'
import { ListFoot } from '#components/ui/live/list-foot.tsx'
import { RefreshOnKind } from '#components/ui/live/refresh-on-kind.tsx'
import { StableTable } from '#components/ui/live/stable-table.tsx'
import { Td, Th, Tr } from '#components/ui/table.tsx'
import { Time } from '#components/ui/time.tsx'
import type { Caller } from '#lib/access/caller.ts'
import { mayKnowAttention } from '#lib/operations/rules/may-know-attention.ts'
import {
  listPeopleNeedingAttention,
  type PersonNeedingAttention,
} from '#lib/people/list-people-needing-attention.ts'
import { CursorRefused, onRefusal } from '#lib/platform/refusals.ts'
import { shortId } from '#lib/words/labels/formats.ts'
import { addressOf } from '../address-of.ts'

const first = '/users?look=1'

/** The list has the people whom the navigation counts, with the standing that needs attention. */
export async function PeopleNeedingAttention({
  caller,
  cursor,
}: {
  readonly caller: Caller
  readonly cursor: string | undefined
}) {
  const { rows, next, total } = await listPeopleNeedingAttention(caller, { cursor }).catch(
    onRefusal(CursorRefused, () => redirect(first)),
  )
  const foot = {
    total,
    one: 'person',
    many: 'people',
    newest: cursor ? first : null,
    older: next === null ? null : addressOf('/users', { look: '1', cursor: next }),
  }
  return (
    <>
      <RowKeys />
      <RefreshOnKind kind="entity" />
      <Card className="mt-4" aria-label="Needs attention">
        {rows.length > 0 ? (
          <StableTable
            key={cursor ?? ''}
            isFirst={!cursor}
            foot={foot}
            head={
              <thead>
                <tr>
                  <Th className="w-[55%] sm:w-[40%]">Person</Th>
                  <Th>What needs attention</Th>
                  <Th numeric className="w-24 max-sm:hidden">
                    Updated
                  </Th>
                </tr>
              </thead>
            }
            rows={rows.map((row) => ({ id: row.subjectId, row: <Row of={row} /> }))}
          />
        ) : (
          <EmptyState
            icon={CircleCheck}
            title={cursor ? 'Nobody else needs attention' : 'Nobody needs attention'}
            action={
              <ButtonLink href={cursor ? first : '/users'}>{cursor ? 'Newest' : 'Everybody'}</ButtonLink>
            }
          >
            {!mayKnowAttention(caller.role, 'aml') &&
              'Checks that are for compliance alone are not listed here.'}
          </EmptyState>
        )}
        {rows.length === 0 && <ListFoot {...foot} />}
      </Card>
    </>
  )
}

function Row({ of: { subjectId, id, person, said, lastMoveAt } }: { readonly of: PersonNeedingAttention }) {
  const named = person?.email ?? person?.name
  return (
    <Tr className="relative hover:bg-hover has-[a:focus-visible]:bg-hover">
      <Td className="h-auto py-2.5">
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
      </Td>
      <Td className="whitespace-normal! py-1.5">
        <span className="flex flex-wrap gap-1">
          {said.map((one) => (
            <StandingPill key={one.type} standing={one} />
          ))}
        </span>
      </Td>
      <Td numeric className="text-muted max-sm:hidden">
        <Time at={lastMoveAt} />
      </Td>
    </Tr>
  )
}
