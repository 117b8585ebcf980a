import Link from 'next/link'
import { Crumbs } from './crumbs.tsx'
import { sectionName } from './places.ts'

/** Where this page is. A company has the address of a person (decision 0064): its page is marked `data-company`. */
export const Breadcrumb = () => (
  <nav aria-label="Where you are" className="flex shrink-0 items-center gap-1.5 whitespace-nowrap">
    <Link
      href="/companies"
      className="touch-target relative hidden rounded-sm hover:text-text group-has-data-company/page:block"
    >
      {sectionName('companies')}
    </Link>
    <Crumbs />
  </nav>
)
