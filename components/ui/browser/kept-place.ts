'use client'

import { usePathname } from 'next/navigation'
import { useLayoutEffect } from 'react'

/** The key names the page's entry in the browser's history; null when the browser does not tell entries apart. */
export const entryKey = (): string | null =>
  'navigation' in window ? (window.navigation.currentEntry?.key ?? null) : null

/** The newest entries of the browser's history keep a value each, while this tab lives. */
export class PerEntry<T> {
  readonly #kept = new Map<string, T>()

  get(entry: string | null): T | undefined {
    return entry === null ? undefined : this.#kept.get(entry)
  }

  set(entry: string | null, value: T): void {
    if (entry === null) return
    this.#kept.delete(entry)
    this.#kept.set(entry, value)
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= mostEntries) return
      this.#kept.delete(oldest)
    }
  }
}

const mostEntries = 30

interface Place {
  readonly address: string
  readonly top: number
  /** The row with this link had the focus. */
  readonly row: string | null
}

const places = new PerEntry<Place>()

/**
 * A reader who comes back to a list through the browser's history finds the same scroll position, with the focus on
 * the row that they opened. The browser gives up when the list is not as high at once as before. The list shows this
 * query, which the router may not have yet.
 */
export function useKeptPlace(shown: URLSearchParams): void {
  const address = `${usePathname()}?${shown}`
  useLayoutEffect(() => {
    const entry = entryKey()
    const kept = places.get(entry)
    const back = kept?.address === address ? kept : null
    let frame = 0
    if (back) {
      goTo(back)
      // The new content may be higher than the old one was.
      frame = requestAnimationFrame(() => goTo(back))
    }
    const keep = (change: Partial<Place>) => {
      if (entryKey() === entry)
        places.set(entry, { address, top: window.scrollY, row: places.get(entry)?.row ?? null, ...change })
    }
    // The list has replaced the address of its entry and stays where it is.
    if (kept && !back) keep({})
    const onScroll = () => keep({})
    const onFocus = ({ target }: FocusEvent) => {
      if (target instanceof HTMLElement && target.matches('a[data-row]'))
        keep({ row: target.getAttribute('href') })
    }
    window.addEventListener('scroll', onScroll, { passive: true })
    document.addEventListener('focusin', onFocus)
    return () => {
      cancelAnimationFrame(frame)
      window.removeEventListener('scroll', onScroll)
      document.removeEventListener('focusin', onFocus)
    }
  }, [address])
}

function goTo({ top, row }: Place): void {
  if (Math.abs(window.scrollY - top) > 1) window.scrollTo({ top, behavior: 'instant' })
  if (row === null || document.activeElement !== document.body) return
  const links = document.querySelectorAll<HTMLElement>('a[data-row]')
  const link = [...links].find((each) => each.getAttribute('href') === row && each.checkVisibility())
  link?.focus({ preventScroll: true })
}
