'use client'

import { useWords } from './browser/words.tsx'

/** The link is the first stop of the keyboard on a page, and is visible only while it has the focus. */
export const SkipLink = () => (
  <a
    href="#main"
    className="fixed top-2 left-2 z-50 -translate-y-16 rounded-lg bg-ink px-3 py-1.5 text-on-ink text-sm focus:translate-y-0"
  >
    {useWords()('ui.skip')}
  </a>
)
