import { ArrowLeft } from 'lucide-react'
import { Link } from '#components/ui/link.tsx'
import type { CustomerWords } from '#lib/words/labels/customer-labels.ts'

/** Above the heading of a page below “My account”. */
export const BackToAccount = ({ words }: { readonly words: CustomerWords }) => (
  <Link
    href="/account"
    className="inline-flex items-center gap-1.5 rounded-md text-muted text-sm hover:text-text print:hidden"
  >
    <ArrowLeft className="size-4" aria-hidden />
    {words('account.back')}
  </Link>
)
