import { clsx } from 'clsx'
import Link from 'next/link'
import { Marked } from '#components/search/marked.tsx'
import { subjectPath } from '#components/subject-path.ts'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { parseSubjectId } from '#lib/domain/delivery/subject.ts'
import { shortId } from '#lib/labels/short-id.ts'
import type { Why } from '#lib/search/found.ts'

/** Opens a subject from anywhere on its row. */
export function SubjectLink({
  subjectId,
  className,
  why,
}: {
  readonly subjectId: string
  readonly className?: string
  /** Why it was found: the part of the id itself is marked. */
  readonly why?: Why | undefined
}) {
  const id = parseSubjectId(subjectId)?.id ?? subjectId
  return (
    <Link
      href={subjectPath(subjectId)}
      prefetch={false}
      data-row
      title={id}
      className={clsx('mono row-link', className)}
    >
      {why?.field === 'id' && id.length > 15 ? <Marked text={id} marks={why.marks} /> : shortId(id)}
    </Link>
  )
}

/** Copies the whole id, beside its row. */
export const CopyBeside = ({ id }: { readonly id: string }) => (
  <span className="absolute left-full z-10 -ml-1 opacity-0 focus-within:opacity-100 group-hover:opacity-100">
    <CopyButton text={id} label={`Copy ${id}`} className="hover:bg-surface" />
  </span>
)
