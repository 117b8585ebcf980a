import { Crumbs } from './crumbs.tsx'

/** Where this page is. */
export const Breadcrumb = () => (
  <nav aria-label="Where you are" className="flex shrink-0 items-center gap-1.5 whitespace-nowrap">
    <Crumbs />
  </nav>
)
