'use client'

import { useWords } from '../browser/words.tsx'

/** What is said in the reader's language when something could not be sent at all. */
export function useNotSent(): { readonly title: string; readonly next: string } {
  const words = useWords()
  return { title: words('form.notSent'), next: words('form.notSentNext') }
}
