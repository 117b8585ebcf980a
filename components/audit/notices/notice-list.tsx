import { clsx } from 'clsx'
import { Bell } from 'lucide-react'
import { ButtonLink, Link } from '#components/ui/link.tsx'
import { Tag } from '#components/ui/pill.tsx'
import { Time } from '#components/ui/time.tsx'
import type { NoticeView } from '#lib/audit/notices/notices.ts'

/** Each notice shows what happened, why, when, and whether it is new to this admin. It opens what it is about. */
export function NoticeList({
  notices,
  padded = false,
}: {
  readonly notices: readonly NoticeView[]
  /** `padded` is for a card that has its own padding, beside a list whose rows the keys move through. */
  readonly padded?: boolean
}) {
  return (
    <ul className="divide-y">
      {notices.map(({ id, at, sentence, page, reason, seen }) => (
        <li
          key={id}
          className={clsx(
            'relative flex flex-wrap items-baseline gap-x-4 gap-y-1 py-3 text-table',
            page && 'hover:bg-hover',
            !padded && 'px-4',
          )}
        >
          <div className="min-w-0 flex-1 basis-72">
            <p className="break-words">
              {page ? (
                <Link href={page} data-row={padded ? undefined : true} className="row-link">
                  {sentence}
                </Link>
              ) : (
                sentence
              )}{' '}
              {!seen && <Tag>New</Tag>}
            </p>
            {reason && <p className="mt-0.5 break-words text-muted text-sm">“{reason}”</p>}
          </div>
          <Time at={at} className="text-muted text-sm" />
        </li>
      ))}
    </ul>
  )
}

/** The bell leads to the notices and shows how many this admin has not seen. */
export function NoticeBell({ unseen }: { readonly unseen: number }) {
  const count = unseen >= 100 ? '99+' : String(unseen)
  return (
    <ButtonLink
      href="/notices"
      variant="ghost"
      className="@max-sm:-ml-2 @max-md:px-2 @max-sm:px-1"
      aria-label={unseen === 0 ? 'Notices' : `Notices, ${count} not seen`}
    >
      <Bell aria-hidden />
      {unseen > 0 && <span className="num font-strong text-text">{count}</span>}
    </ButtonLink>
  )
}
