'use client'

import { createContext, type ReactNode, useContext, useMemo } from 'react'
import type { Language } from '#lib/platform/rules/language.ts'
import type { CustomerWords } from '#lib/words/labels/customer-labels.ts'
import { type CompiledMessages, wordsOf } from '#lib/words/labels/translate.ts'
import type { en } from '#lib/words/messages/en.ts'

const Spoken = createContext<CustomerWords | null>(null)

/** Everything inside gets the words of its language. `messages` are the parts of the catalogue that the page needs. */
export function WordsProvider({
  language,
  messages,
  children,
}: {
  readonly language: Language
  readonly messages: CompiledMessages
  readonly children: ReactNode
}) {
  const words = useMemo(() => wordsOf<typeof en>(language, messages), [language, messages])
  return <Spoken value={words}>{children}</Spoken>
}

/**
 * The hook gives the words of the reader's language. Only the parts of the catalogue are there that the page was
 * given.
 */
export function useWords(): CustomerWords {
  const words = useContext(Spoken)
  if (!words) throw new Error('WordsProvider is missing around this component')
  return words
}
