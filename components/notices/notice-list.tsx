import type { NoticeView } from '#lib/notices/list-notices.ts'
import { Tag } from '../ui/pill.tsx'
import { Time } from '../ui/time.tsx'

/** Notices below each other: what happened, why, when, and whether it is new to this admin. */
export function NoticeList({ notices }: { readonly notices: readonly NoticeView[] }) {
  return (
    <ul className="divide-y">
      {notices.map(({ id, at, sentence, reason, seen }) => (
        <li key={id} className="flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-3 text-table">
          <div className="min-w-0 flex-1 basis-72">
            <p className="break-words">
              {sentence} {!seen && <Tag>New</Tag>}
            </p>
            {reason && <p className="mt-0.5 break-words text-muted text-sm">“{reason}”</p>}
          </div>
          <Time at={at} className="text-muted text-sm" />
        </li>
      ))}
    </ul>
  )
}
