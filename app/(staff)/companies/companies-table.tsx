'use client'

import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { StandingPill } from '#components/people/standing-pill.tsx'
import { subjectPath } from '#components/ui/browser/paths.ts'
import { Link } from '#components/ui/link.tsx'
import type { ListFootProps } from '#components/ui/live/list-foot.tsx'
import { StableTable } from '#components/ui/live/stable-table.tsx'
import { Td, Th, Tr } from '#components/ui/table.tsx'
import { Time } from '#components/ui/time.tsx'
import type { CompanyView } from '#lib/people/standings/list-companies.ts'
import { shortId } from '#lib/words/labels/formats.ts'

/**
 * Each company is a row. A narrow page keeps its name and status. The browser gets the companies and not their
 * elements.
 */
export function CompaniesTable({
  companies,
  list,
  isFirst,
  foot,
}: {
  readonly companies: readonly CompanyView[]
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
            <Th className="w-[40%] sm:w-40">Company</Th>
            <Th>Verification</Th>
            <Th className="max-sm:hidden">Status</Th>
            <Th numeric className="w-24 max-md:hidden">
              People
            </Th>
            <Th className="w-36 pl-6 max-lg:hidden">First seen</Th>
            <Th numeric className="w-26 max-md:hidden">
              Updated
            </Th>
          </tr>
        </thead>
      }
      rows={companies.map(({ subjectId, id, verification, entity, people, startedAt, lastMoveAt }) => ({
        id: subjectId,
        row: (
          <Tr className="relative hover:bg-hover has-[a:focus-visible]:bg-hover">
            <Td>
              <Link href={subjectPath(subjectId, true)} data-row title={id} className="mono row-link">
                {shortId(id)}
              </Link>
            </Td>
            <Td className="whitespace-normal! py-1.5">
              {verification && entity && <Which>Verification</Which>}
              {verification ? (
                <StandingPill standing={verification} />
              ) : (
                <Nothing className={entity ? 'max-sm:hidden' : undefined} />
              )}
              {entity && (
                <span className={clsx('block sm:hidden', verification && 'mt-1')}>
                  {verification && <Which>Status</Which>}
                  <StandingPill standing={entity} />
                </span>
              )}
            </Td>
            <Td className="whitespace-normal! py-1.5 max-sm:hidden">
              {entity ? <StandingPill standing={entity} /> : <Nothing />}
            </Td>
            <Td numeric className="max-md:hidden">
              {people > 0 ? people : <Nothing />}
            </Td>
            <Td className="num pl-6 text-muted max-lg:hidden">
              <Time at={startedAt} style="minute" />
            </Td>
            <Td numeric className="text-muted max-md:hidden">
              <Time at={lastMoveAt} />
            </Td>
          </Tr>
        ),
      }))}
    />
  )
}

/** The label tells the two values apart that are below each other on a phone. */
const Which = ({ children }: { readonly children: ReactNode }) => (
  <span className="block text-muted text-xs sm:hidden">{children}</span>
)

const Nothing = ({ className }: { readonly className?: string | undefined }) => (
  <span className={clsx('text-faint', className)}>–</span>
)
