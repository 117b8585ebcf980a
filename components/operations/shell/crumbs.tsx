'use client'

import { clsx } from 'clsx'
import { usePathname } from 'next/navigation'
import { decodePathPart } from '#components/ui/browser/paths.ts'
import { Link } from '#components/ui/link.tsx'
import { parseSubjectId } from '#lib/deliveries/rules/subject.ts'
import { ownValue } from '#lib/platform/rules/names.ts'
import { shortId } from '#lib/words/labels/formats.ts'

/** The crumbs are the section of the address and, if there is room, the id of the open thing. */
export function Crumbs({
  sections,
  pages,
}: {
  /** Each section of an address has its name, and so has each page below a list that shows no single thing. */
  readonly sections: Readonly<Record<string, string>>
  readonly pages: Readonly<Record<string, string>>
}) {
  const [section = '', id] = usePathname().split('/').filter(Boolean)
  const name = ownValue(sections, section) ?? section
  if (!id) return <span aria-current="page">{name}</span>
  const page = ownValue(pages, id)
  return (
    <>
      <Link href={`/${section}`} className="touch-target relative rounded-sm hover:text-text">
        {name}
      </Link>
      <span className="text-faint @max-2xl:hidden" aria-hidden>
        /
      </span>
      <span className={clsx(page === undefined && 'mono', '@max-2xl:hidden')} aria-current="page">
        {page ?? shortId(idOf(decodePathPart(id)))}
      </span>
    </>
  )
}

/** The address of a subject that is no transaction has its kind before the id; the kind is left out. */
const idOf = (part: string) => parseSubjectId(part)?.id ?? part
