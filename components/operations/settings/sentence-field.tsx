'use client'

import { useEffect, useState } from 'react'
import { Field } from '#components/ui/field.tsx'
import { callAction } from '#components/ui/form/call-action.ts'
import { Textarea } from '#components/ui/textarea.tsx'
import type { Action } from '#lib/platform/forms/action-state.ts'
import type { Language } from '#lib/platform/rules/language.ts'

/** The preview appears after this many milliseconds without typing. */
const pause = 300

/** The field shows a sentence as a customer would read it, or why it is invalid. */
export function SentenceField({
  language,
  sentenceKey,
  initial,
  placeholders,
  show,
  error,
}: {
  readonly language: Language
  readonly sentenceKey: string
  readonly initial: string
  readonly placeholders: readonly string[]
  readonly show: Action<{ readonly preview: string }>
  readonly error: string | undefined
}) {
  const [text, setText] = useState(initial)
  const shown = usePreview(show, language, sentenceKey, text)
  return (
    <div className="grid gap-3">
      <Field
        label="Your words"
        hint={
          placeholders.length === 0
            ? 'At most 300 characters.'
            : `At most 300 characters. Filled in for each transaction: ${placeholders.map((name) => `{${name}}`).join(', ')}.`
        }
        error={shown.error ?? error}
      >
        {(control) => (
          <Textarea
            {...control}
            name="text"
            lang={language}
            rows={2}
            maxLength={300}
            required
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <div>
        <p className="mb-1 font-label text-sm">Preview with example amounts</p>
        <p lang={language} role="status" className="min-h-11 rounded-panel border bg-bg px-3 py-2 text-table">
          {shown.preview}
        </p>
      </div>
    </div>
  )
}

function usePreview(
  show: Action<{ readonly preview: string }>,
  language: Language,
  key: string,
  text: string,
): { readonly preview: string; readonly error: string | undefined } {
  const [shown, setShown] = useState<{ preview: string; error: string | undefined }>({
    preview: '',
    error: undefined,
  })
  useEffect(() => {
    let latest = true
    const timer = setTimeout(async () => {
      const answer = await callAction(show, { language, key, text })
      if (!latest) return
      if (answer.kind === 'done') setShown({ preview: answer.value.preview, error: undefined })
      else setShown({ preview: '', error: answer.kind === 'invalid' ? answer.fields.text : undefined })
    }, pause)
    return () => {
      latest = false
      clearTimeout(timer)
    }
  }, [show, language, key, text])
  return shown
}
