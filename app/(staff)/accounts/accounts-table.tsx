'use client'

import { StandingPill } from '#components/people/standing-pill.tsx'
import { subjectPath } from '#components/ui/browser/paths.ts'
import { Link } from '#components/ui/link.tsx'
import type { ListFootProps } from '#components/ui/live/list-foot.tsx'
import { StableTable } from '#components/ui/live/stable-table.tsx'
import { RowPerson } from '#components/ui/search/row-person.tsx'
import { Td, Th, Tr } from '#components/ui/table.tsx'
import { Time } from '#components/ui/time.tsx'
import type { StandingView } from '#lib/people/standings/standings.ts'
import { eventTypeLabel } from '#lib/timeline/labels/event-type-labels.ts'
import { shortId } from '#lib/words/labels/formats.ts'

/**
 * Each account is a row. A narrow page keeps its name, status and owner. The browser gets the accounts and not
 * their elements, which would cost the server more than the rest of the page.
 */
export function AccountsTable({
  accounts,
  list,
  isFirst,
  foot,
}: {
  readonly accounts: readonly StandingView[]
  /** `list` tells the list and its page from others. */
  readonly list: string
  readonly isFirst: boolean
  readonly foot: ListFootProps
}) {
  return (
    <StableTable
      key={list}
      isFirst={isFirst}
      foot={foot}
      head={
        <thead>
          <tr>
            <Th className="w-1/2 md:w-48">Account</Th>
            <Th className="md:w-48 lg:w-[22%]">Status</Th>
            <Th className="max-md:hidden">Kind</Th>
            <Th className="w-20 max-sm:hidden">Currency</Th>
            <Th className="max-lg:hidden">Person</Th>
            <Th className="w-30 max-xl:hidden">First seen</Th>
            <Th numeric className="w-26 max-sm:hidden">
              Updated
            </Th>
          </tr>
        </thead>
      }
      rows={accounts.map((account) => ({
        id: `${account.subjectId} ${account.type}`,
        row: (
          <Tr className="relative hover:bg-hover has-[a:focus-visible]:bg-hover">
            <Td className="h-auto py-2">
              <Link
                href={subjectPath(account.subjectId)}
                data-row
                title={account.id}
                className="mono row-link"
              >
                {shortId(account.id)}
              </Link>
              <span
                title={account.userEmail ?? account.entityUuid ?? undefined}
                className="wrap-anywhere block whitespace-normal text-muted text-xs lg:hidden"
              >
                <span className="sm:hidden">{account.currency && `${account.currency} · `}</span>
                {personOf(account)}
              </span>
            </Td>
            <Td className="whitespace-normal!">
              <StandingPill standing={account} />
            </Td>
            <Td className="whitespace-normal! text-muted leading-snug max-md:hidden">
              {eventTypeLabel(account.type).label}
            </Td>
            <Td className="max-sm:hidden">{account.currency ?? <Nothing />}</Td>
            <Td className="max-lg:hidden" title={account.userEmail ?? undefined}>
              {personOf(account) ?? <Nothing />}
            </Td>
            <Td className="num text-muted max-xl:hidden">
              <Time at={account.startedAt} style="minute" />
            </Td>
            <Td numeric className="text-muted max-sm:hidden">
              <Time at={account.lastMoveAt} />
            </Td>
          </Tr>
        ),
      }))}
    />
  )
}

const personOf = ({ entityUuid, userEmail }: StandingView) =>
  entityUuid === null ? userEmail : <RowPerson userUuid={entityUuid} email={userEmail} />

const Nothing = () => <span className="text-faint">–</span>
