import { clsx } from 'clsx'
import Link from 'next/link'
import { subjectPath } from '#components/subject-path.ts'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { parseSubjectId } from '#lib/domain/delivery/subject.ts'
import { shortId } from '#lib/labels/short-id.ts'

/** Opens a subject from anywhere on its row. */
export function SubjectLink({
  subjectId,
  className,
}: {
  readonly subjectId: string
  readonly className?: string
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
      {shortId(id)}
    </Link>
  )
}

/** Copies the whole id, beside its row. */
export const CopyBeside = ({ id }: { readonly id: string }) => (
  <span className="absolute left-full z-10 -ml-1 opacity-0 focus-within:opacity-100 group-hover:opacity-100">
    <CopyButton text={id} label={`Copy ${id}`} className="hover:bg-surface" />
  </span>
)
