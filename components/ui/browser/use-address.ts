'use client'

import { useSearchParams } from 'next/navigation'
import { useCallback, useMemo, useState } from 'react'
import { isLeaving } from '../form/leave-guard.ts'

/** The query of an address is a `URLSearchParams` in the browser. */
export interface AddressQuery {
  get(name: string): string | null
}

/** The address was changed and may still have its old text. */
interface Changed {
  readonly from: URLSearchParams
  readonly to: URLSearchParams
}

/**
 * The function writes texts into the address; null removes one, and others stay. `push` makes an entry in the
 * browser's history.
 */
export type SetAddress<Texts> = (
  changed: { readonly [Name in keyof Texts]?: string | null | undefined },
  how: 'push' | 'replace',
) => void

/**
 * The hook gives what the page's address says, as `read` understands it, and changes it without asking the server
 * for the page. A change takes effect at once, also while the router needs time for the address. The page shows what
 * the query `shown` says.
 */
export function useAddress<Texts, Names = Texts>(
  read: (query: AddressQuery) => Texts,
): readonly [said: Texts, set: SetAddress<Names>, shown: URLSearchParams] {
  const inAddress = useSearchParams()
  const [changed, setChanged] = useState<Changed>({ from: inAddress, to: inAddress })
  const query = changed.from === inAddress ? changed.to : inAddress
  const set = useCallback<SetAddress<Names>>(
    (texts, how) => {
      const next = new URL(location.href)
      for (const [name, text] of Object.entries<string | null | undefined>(texts)) {
        if (text === null) next.searchParams.delete(name)
        else if (text !== undefined) next.searchParams.set(name, text)
      }
      if (next.href === location.href) return
      setChanged({ from: inAddress, to: next.searchParams })
      // An answer that comes after a link was followed must not take back the page.
      if (how === 'replace' && isLeaving()) return
      window.history[how === 'push' ? 'pushState' : 'replaceState'](null, '', next)
    },
    [inAddress],
  )
  return [useMemo(() => read(query), [read, query]), set, query]
}
