'use client'

import { useRouter } from 'next/navigation'
import { useId, useTransition } from 'react'
import { keepCookie } from '#components/ui/browser/keep-cookie.ts'
import { Select } from '#components/ui/input.tsx'
import { type Language, languageCookie, languageNames, languages } from '#lib/platform/rules/language.ts'

/** The chosen language is kept in this browser. Typed text on the page stays. */
export function LanguageChoice({ label, language }: { readonly label: string; readonly language: Language }) {
  const router = useRouter()
  const [changing, change] = useTransition()
  const id = useId()
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 text-sm">
      <label htmlFor={id} className="text-muted">
        {label}
      </label>
      <Select
        id={id}
        value={language}
        aria-busy={changing || undefined}
        className="w-36 max-w-full"
        onChange={(event) => {
          keepCookie(languageCookie, event.target.value)
          change(() => router.refresh())
        }}
      >
        {languages.map((one) => (
          <option key={one} value={one} lang={one}>
            {languageNames[one]}
          </option>
        ))}
      </Select>
    </div>
  )
}
