'use client'

import { clsx } from 'clsx'
import { usePathname } from 'next/navigation'
import { subjectPath } from '#components/ui/browser/paths.ts'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { Link } from '#components/ui/link.tsx'
import { Marked } from '#components/ui/search/marked.tsx'
import { parseSubjectId } from '#lib/deliveries/rules/subject.ts'
import type { Why } from '#lib/search/found.ts'
import { shortId } from '#lib/words/labels/formats.ts'
import { useRowAddress } from './list-address.ts'

/** The link opens a subject from anywhere on its row. */
export function SubjectLink({
  subjectId,
  className,
  why,
}: {
  readonly subjectId: string
  readonly className?: string
  /** `why` is the reason of the match: the matching part of the id is marked. */
  readonly why?: Why | undefined
}) {
  const id = parseSubjectId(subjectId)?.id ?? subjectId
  const path = subjectPath(subjectId)
  const { href, replace } = useRowAddress(path)
  return (
    <Link
      href={href}
      replace={replace}
      aria-current={usePathname() === path ? 'true' : undefined}
      data-row
      title={id}
      className={clsx('mono row-link', why?.field === 'id' && 'whitespace-normal break-all', className)}
    >
      {why?.field === 'id' && id.length > 15 ? <Marked text={id} marks={why.marks} /> : shortId(id)}
    </Link>
  )
}

/** The button copies the whole id of a row. Its room is kept while it is hidden. */
export const CopyBeside = ({ id }: { readonly id: string }) => (
  <span className="relative z-10 opacity-0 focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:hidden">
    <CopyButton text={id} label={`Copy ${id}`} className="hover:bg-surface" beside />
  </span>
)

/** A list shows each of these columns from this width on. The person always has 160 px. */
export interface ListColumns {
  readonly first?: string
  readonly started: string
  readonly chain: string
  readonly direction: string
}

export const columns: ListColumns = {
  started: 'hidden @min-[66rem]:table-cell',
  chain: 'hidden @min-[74rem]:table-cell',
  direction: 'hidden @min-[87rem]:table-cell',
}
