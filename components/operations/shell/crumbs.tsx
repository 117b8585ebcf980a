'use client'

import { clsx } from 'clsx'
import { usePathname } from 'next/navigation'
import { decodePathPart } from '#components/ui/browser/paths.ts'
import { Link } from '#components/ui/link.tsx'
import { parseSubjectId } from '#lib/deliveries/rules/subject.ts'
import { shortId } from '#lib/words/labels/formats.ts'
import { pageName, sectionName } from './places.ts'

/** The crumbs are the section of the address and, if there is room, the id of the open thing. */
export function Crumbs() {
  const [section = '', id] = usePathname().split('/').filter(Boolean)
  const name = sectionName(section)
  if (!id) return <span aria-current="page">{name}</span>
  return (
    <>
      <Link href={`/${section}`} className="touch-target relative rounded-sm hover:text-text">
        {name}
      </Link>
      <span className="text-faint @max-2xl:hidden" aria-hidden>
        /
      </span>
      <span className={clsx(pageName(id) === null && 'mono', '@max-2xl:hidden')} aria-current="page">
        {pageName(id) ?? shortId(idOf(decodePathPart(id)))}
      </span>
    </>
  )
}

/** The address of a subject that is no transaction has its kind before the id; the kind is left out. */
const idOf = (part: string) => parseSubjectId(part)?.id ?? part
