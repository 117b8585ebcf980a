'use client'

import { usePathname, useSearchParams } from 'next/navigation'
import { useWide } from '#components/ui/browser/use-media.tsx'

const list = '/transactions'

/** The address holds the list, also while one of its rows is open beside it. */
export const useListAddress = (): string => withQuery(list, useSearchParams())

/**
 * A row's address names the list when the row opens beside it. Such a row replaces the one before, so that going
 * back leads to the list.
 */
export function useRowAddress(path: string): { readonly href: string; readonly replace: boolean } {
  const [here, search, wide] = [usePathname(), useSearchParams(), useWide()]
  const beside = wide && path.startsWith(`${list}/`) && (here === list || here.startsWith(`${list}/`))
  return { href: beside ? withQuery(path, search) : path, replace: beside && here !== list }
}

function withQuery(path: string, search: URLSearchParams): string {
  const query = search.toString()
  return query === '' ? path : `${path}?${query}`
}
