import { Bell } from 'lucide-react'
import { ButtonLink } from '#components/ui/button-link.tsx'

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
