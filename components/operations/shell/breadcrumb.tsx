import { Crumbs } from './crumbs.tsx'
import { pageNames, sectionNames } from './places.ts'

/** The breadcrumb shows where this page is. */
export const Breadcrumb = () => (
  <nav aria-label="Where you are" className="flex shrink-0 items-center gap-1.5 whitespace-nowrap">
    <Crumbs sections={sectionNames} pages={pageNames} />
  </nav>
)
