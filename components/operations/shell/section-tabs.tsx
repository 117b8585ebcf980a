'use client'

import { clsx } from 'clsx'
import { usePathname } from 'next/navigation'
import { Link } from '#components/ui/link.tsx'
import { may, type Role } from '#lib/access/rules/roles.ts'
import { LookCount } from './look-count.tsx'
import { placeGroups } from './places.ts'

/** The lists that share one place in the sidebar, above each of them; nothing on other pages. */
export function SectionTabs({ role }: { readonly role: Role }) {
  const path = usePathname()
  const place = placeGroups
    .flatMap(({ places }) => places)
    .find(({ tabs }) => tabs?.some(({ href }) => href === path))
  const tabs = place?.tabs?.filter(({ permission }) => may(role, permission)) ?? []
  if (!place || tabs.length < 2) return null
  return (
    <nav aria-label={place.name} className="-mt-2 mb-5 flex flex-wrap gap-x-1 border-b">
      {tabs.map(({ href, name, look }) => (
        <Link
          key={href}
          href={href}
          aria-current={path === href ? 'page' : undefined}
          className={clsx(
            '-mb-px flex min-h-10 items-center gap-2 border-b-2 px-2.5 font-label text-sm transition-colors',
            path === href ? 'border-ink text-text' : 'border-transparent text-muted hover:text-text',
          )}
        >
          {name}
          {look && <LookCount look={look} />}
        </Link>
      ))}
    </nav>
  )
}
