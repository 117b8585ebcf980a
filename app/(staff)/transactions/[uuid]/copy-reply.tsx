'use client'

import { clsx } from 'clsx'
import { ChevronDown } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { InEnglish, LanguageSelect, type SaidIn, useSaid } from '#components/timeline/said-text.tsx'
import { buttonClass } from '#components/ui/button.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { keepBelow } from '#components/ui/more-menu.tsx'
import type { Language } from '#lib/platform/rules/language.ts'
import { languageInEnglish } from '#lib/words/labels/formats.ts'

/** The button copies the answer to a customer's question. Beside it are the language and the text. */
export function CopyReply({
  texts,
  first,
}: {
  readonly texts: readonly SaidIn[]
  /** `first` is the customer's language by their country; null when that is unknown. */
  readonly first: Language | null
}) {
  const id = useId()
  const opener = useRef<HTMLButtonElement>(null)
  const end = useRef(() => {})
  const [open, setOpen] = useState(false)
  const { said, setChosen } = useSaid(texts, first)
  if (!said) return null
  const { language, text } = said
  return (
    <div className="flex max-w-full gap-px">
      <CopyButton text={text} className="min-w-0 shrink! rounded-r-none">
        Copy reply
      </CopyButton>
      <button
        ref={opener}
        type="button"
        popoverTarget={id}
        className={clsx(buttonClass({}), 'rounded-l-none px-2')}
      >
        <span className="sr-only">
          The reply is in {languageInEnglish(language)}: read it, or take another language
        </span>
        <span aria-hidden className="text-muted text-xs uppercase">
          {language}
        </span>
        <ChevronDown aria-hidden />
      </button>
      <div
        id={id}
        popover="auto"
        role="dialog"
        aria-label="Reply to the customer"
        onBeforeToggle={(event) => {
          if (event.newState !== 'open') return end.current()
          setOpen(true)
          if (opener.current) end.current = keepBelow(event.currentTarget, opener.current)
        }}
        // The menu closes only now, because the browser returns the focus only when it is still inside.
        onToggle={(event) => event.newState === 'closed' && setOpen(false)}
        className="absolute inset-auto m-0 w-[min(28rem,calc(100vw-1rem))] rounded-xl bg-raised p-4 text-sm text-text shadow-float open:animate-float"
      >
        {open && (
          <>
            <p className="mb-2 flex flex-wrap items-center justify-between gap-2">
              <span className="font-title text-muted">Reply to the customer</span>
              <LanguageSelect value={language} onChoose={setChosen} />
            </p>
            <p
              lang={language}
              className="wrap-anywhere whitespace-pre-line rounded-panel border bg-bg px-3 py-2 text-table"
            >
              {text}
            </p>
            <InEnglish texts={texts} said={said} />
            <p className="mt-2 text-muted">
              {first === null
                ? 'The directory has no country that suggests their language.'
                : `Their country in the directory suggests ${languageInEnglish(first)}.`}{' '}
              An admin can change these messages under Settings.
            </p>
          </>
        )}
      </div>
    </div>
  )
}
