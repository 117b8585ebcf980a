'use client'

import { useRouter } from 'next/navigation'
import { useEffect, useState } from 'react'
import { Card } from '#components/ui/card.tsx'
import { Field } from '#components/ui/field.tsx'
import { callAction } from '#components/ui/form/call-action.ts'
import { ConfirmedActionButton } from '#components/ui/form/confirmed-action-button.tsx'
import { Textarea } from '#components/ui/input.tsx'
import { Tag } from '#components/ui/pill.tsx'
import type { SentenceView } from '#lib/operations/settings/sentences.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import type { Language } from '#lib/platform/rules/language.ts'
import { sentenceName } from './sentence-names.ts'

interface SentenceActions {
  readonly show: Action<{ readonly preview: string }>
  readonly save: Action<null>
  readonly restore: Action<null>
}

/** The list has what customers read of each step and reason. An admin can change each sentence. */
export function SentenceList({
  language,
  sentences,
  actions,
}: {
  readonly language: Language
  readonly sentences: readonly SentenceView[]
  readonly actions: SentenceActions
}) {
  const named = sentences.map((sentence) => ({ sentence, ...sentenceName(sentence.key) }))
  return (
    <div className="grid gap-5">
      {[...Map.groupBy(named, ({ group }) => group)].map(([group, members]) => (
        <Card key={group} title={group}>
          <ul className="divide-y">
            {members.map(({ sentence, state, part }) => (
              <li key={sentence.key} className="flex flex-wrap items-start gap-x-5 gap-y-2 py-3">
                <p className="w-52 text-sm">
                  {state}
                  <span className="block text-muted text-xs">{part}</span>
                </p>
                <Said language={language} sentence={sentence} />
                <div className="flex flex-wrap gap-2">
                  {sentence.own !== null && (
                    <Restore
                      language={language}
                      sentence={sentence}
                      name={`${group}, ${state}, ${part.toLowerCase()}`}
                      restore={actions.restore}
                    />
                  )}
                  <Change
                    language={language}
                    sentence={sentence}
                    name={`${group}, ${state}, ${part.toLowerCase()}`}
                    {...actions}
                  />
                </div>
              </li>
            ))}
          </ul>
        </Card>
      ))}
    </div>
  )
}

function Said({
  language,
  sentence: { own, standard, preview },
}: {
  readonly language: Language
  readonly sentence: SentenceView
}) {
  return (
    <div className="min-w-0 flex-1 basis-64 text-table">
      <p className="flex flex-wrap items-baseline gap-x-2.5">
        <span lang={language} className="break-words">
          {preview}
        </span>
        {own !== null && <Tag>Yours</Tag>}
      </p>
      {own !== null && (
        <p className="mt-0.5 text-muted text-sm">
          Standard: <span lang={language}>{standard}</span>
        </p>
      )}
    </div>
  )
}

function Change({
  language,
  sentence: { key, own, standard, placeholders },
  name,
  show,
  save,
}: Pick<SentenceActions, 'show' | 'save'> & {
  readonly language: Language
  readonly sentence: SentenceView
  readonly name: string
}) {
  const router = useRouter()
  return (
    <ConfirmedActionButton
      label="Change"
      of={name}
      title={name}
      description={
        <>
          Standard: <span lang={language}>{standard}</span>
        </>
      }
      action={save}
      afterFreshSignIn
      asksReason={false}
      fields={{ language, key, seen: own ?? standard }}
      done="Saved: customers read your words from now on."
      onDone={() => router.refresh()}
    >
      {(errorOf) => (
        <SentenceField
          language={language}
          sentenceKey={key}
          initial={own ?? standard}
          placeholders={placeholders}
          show={show}
          error={errorOf('text')}
        />
      )}
    </ConfirmedActionButton>
  )
}

function Restore({
  language,
  sentence: { key, own, standard },
  name,
  restore,
}: Pick<SentenceActions, 'restore'> & {
  readonly language: Language
  readonly sentence: SentenceView
  readonly name: string
}) {
  const router = useRouter()
  return (
    <ConfirmedActionButton
      label="Use the standard words"
      of={name}
      title="Use the standard words?"
      description={
        <>
          Customers read from now on: <span lang={language}>{standard}</span>
        </>
      }
      action={restore}
      afterFreshSignIn
      asksReason={false}
      fields={{ language, key, seen: own ?? standard }}
      done="Customers read the standard words again."
      onDone={() => router.refresh()}
    />
  )
}

/** The preview appears after this many milliseconds without typing. */
const pause = 300

/** The field shows a sentence as a customer would read it, or why it is invalid. */
function SentenceField({
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
