import { ArrowLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from '#components/ui/link.tsx'
import { MerchantMark } from '#components/ui/shared/merchant.tsx'
import { SkipLink } from '#components/ui/skip-link.tsx'
import type { CustomerWords } from '#lib/words/labels/customer-labels.ts'

/** The shell of an end user's pages has the merchant's name and one column, and nothing of the staff's tools. */
export function AccountShell({
  merchant,
  mark,
  aside,
  children,
}: {
  readonly merchant: string
  readonly mark: string | null
  /** `aside` is at the right of the header: the person's menu. */
  readonly aside: ReactNode
  readonly children: ReactNode
}) {
  return (
    <>
      <SkipLink />
      <header className="@container sticky top-0 z-30 border-b bg-bg print:hidden">
        <div className="mx-auto flex min-h-14.5 max-w-[64rem] items-center justify-between gap-x-4 gap-y-1 px-gutter py-1 @max-xs:flex-wrap sm:px-6">
          <a href="/account" className="min-w-0 max-w-full rounded-md">
            <MerchantMark name={merchant} mark={mark} />
          </a>
          <div className="ml-auto flex flex-wrap items-center justify-end gap-x-3 gap-y-1 text-muted text-sm">
            {aside}
          </div>
        </div>
      </header>
      <main
        id="main"
        tabIndex={-1}
        className="@container/main mx-auto max-w-[64rem] px-gutter pt-7 pb-16 outline-none print:p-0 sm:px-6"
      >
        {children}
      </main>
    </>
  )
}

/** The link is above the heading of a page below “My account”. */
export const BackToAccount = ({ words }: { readonly words: CustomerWords }) => (
  <Link
    href="/account"
    className="inline-flex items-center gap-1.5 rounded-md text-muted text-sm hover:text-text print:hidden"
  >
    <ArrowLeft className="size-4" aria-hidden />
    {words('account.back')}
  </Link>
)
