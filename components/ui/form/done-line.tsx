'use client'

import { CircleCheck } from 'lucide-react'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react'

/** The line is shown for this many milliseconds. */
const standsFor = 8_000

const Say = createContext<(words: string | null) => void>(() => {})

/** The hook shows one line about what was done; it stays while the page below changes. Null shows nothing. */
export const useSayDone = () => useContext(Say)

/** These pages share one line for what was done last. It cannot be clicked, so what is under it can. */
export function DoneLine({ children }: { readonly children: ReactNode }) {
  const [said, setSaid] = useState<{ readonly words: string } | null>(null)
  const say = useCallback((words: string | null) => setSaid(words === null ? null : { words }), [])
  useEffect(() => {
    if (said === null) return
    const timer = setTimeout(() => setSaid(null), standsFor)
    return () => clearTimeout(timer)
  }, [said])
  return (
    <Say value={say}>
      {children}
      <div
        role="status"
        // The live region is named too, because an open dialog hides everything else from screen readers.
        aria-live="polite"
        data-done-line
        className="pointer-events-none fixed inset-x-4 bottom-4 z-60 flex justify-center sm:justify-end print:hidden"
      >
        {said && (
          <p
            data-tone="done"
            className="flex max-w-md animate-float gap-2.5 rounded-panel bg-raised px-3.5 py-2.5 text-sm shadow-float"
          >
            <CircleCheck className="mt-[0.1875rem] size-4 shrink-0 text-tone" aria-hidden />
            <span className="min-w-0 break-words">{said.words}</span>
          </p>
        )}
      </div>
    </Say>
  )
}
