'use client'

import { createContext, type ReactNode, useContext, useMemo } from 'react'
import type { Language } from '#lib/domain/text/language.ts'
import type { CustomerWords } from '#lib/labels/customer-labels.ts'
import type { en } from '#lib/labels/messages/en.ts'
import { type CompiledMessages, wordsOf } from '#lib/labels/translate.ts'

const Spoken = createContext<CustomerWords | null>(null)

/** Gives what is inside the words of its language. `messages` are those parts of the catalogue that the page needs. */
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

/** The words of the reader's language; of the catalogue only what the page was given. */
export function useWords(): CustomerWords {
  const words = useContext(Spoken)
  if (!words) throw new Error('WordsProvider is missing around this component')
  return words
}
