'use client'

import { type ReactNode, useState } from 'react'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { Select } from '#components/ui/input.tsx'
import { type Language, languageNames, parseLanguage } from '#lib/platform/rules/language.ts'

/** The customer is told this, in one language. */
export interface SaidIn {
  readonly language: Language
  readonly text: string
}

/** The hook gives the text in one language, and can choose another. */
export function useSaid(texts: readonly SaidIn[], first: Language | null) {
  const [chosen, setChosen] = useState<Language>(first ?? 'en')
  const said = texts.find(({ language }) => language === chosen) ?? texts[0]
  return { said, setChosen }
}

/** Staff who do not read the customer's language see the same text in English. */
export function InEnglish({ texts, said }: { readonly texts: readonly SaidIn[]; readonly said: SaidIn }) {
  const english = texts.find(({ language }) => language === 'en')
  if (!english || said.language === 'en') return null
  return (
    <span className="mt-1.5 block whitespace-pre-line text-muted text-sm">In English: {english.text}</span>
  )
}

/** The reader chooses one of the languages. */
export const LanguageSelect = ({
  value,
  onChoose,
}: {
  readonly value: Language
  readonly onChoose: (language: Language) => void
}) => (
  <Select
    aria-label="Language of the customer"
    value={value}
    onChange={(event) => {
      const language = parseLanguage(event.target.value)
      if (language) onChoose(language)
    }}
    className="w-36"
  >
    {Object.entries(languageNames).map(([language, name]) => (
      <option key={language} value={language} lang={language}>
        {name}
      </option>
    ))}
  </Select>
)

/** Staff read this sentence to a customer, in a language that they choose. */
export function SaidText({
  texts,
  first,
  label,
}: {
  readonly texts: readonly SaidIn[]
  /** `first` is the customer's language, as far as it is known. */
  readonly first: Language | null
  readonly label: string
}): ReactNode {
  const { said, setChosen } = useSaid(texts, first)
  if (!said) return null
  return (
    <div className="grid gap-2">
      <p>
        <span lang={said.language}>“{said.text}</span>
        {/* The icon moves to another line only with the last word. */}
        <span className="whitespace-nowrap">
          ” <CopyButton text={said.text} label={label} />
        </span>
        <InEnglish texts={texts} said={said} />
      </p>
      <LanguageSelect value={said.language} onChoose={setChosen} />
    </div>
  )
}
