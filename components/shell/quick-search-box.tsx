'use client'

import { Search } from 'lucide-react'
import { useRef, useSyncExternalStore } from 'react'
import { Kbd } from '../ui/kbd.tsx'
import { useQuickSearch } from './use-quick-search.ts'

/** The short way from any page: type or paste, Enter opens. */
export function QuickSearchBox() {
  const find = useQuickSearch()
  const input = useRef<HTMLInputElement>(null)
  const apple = useSyncExternalStore(never, isApple, () => false)
  return (
    <search aria-label="Everywhere">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void find(input.current?.value ?? '')
          event.currentTarget.closest('dialog')?.close()
          event.currentTarget.reset()
          input.current?.blur()
        }}
        className="relative"
      >
        <Search className="pointer-events-none absolute top-[9px] left-2.5 size-4 text-faint" aria-hidden />
        <input
          ref={input}
          type="search"
          name="find"
          data-find
          aria-label="Find anything"
          placeholder="Find or paste"
          autoComplete="off"
          spellCheck={false}
          className="h-[34px] w-full appearance-none rounded-lg border border-line-control bg-surface pr-16 pl-8.5 text-sm focus-visible:outline-offset-0 [&::-webkit-search-cancel-button]:hidden"
        />
        <span className="pointer-events-none absolute top-[7px] right-2.5 pointer-coarse:hidden" aria-hidden>
          <Kbd>{apple ? '⌘K' : 'Ctrl K'}</Kbd>
        </span>
      </form>
    </search>
  )
}

/** Whose keyboards have a ⌘ key. */
const isApple = () => /Mac|iPhone|iPad/.test(navigator.platform)
const never = () => () => {}
