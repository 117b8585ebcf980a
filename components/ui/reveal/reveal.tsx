'use client'

import { Eye } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { reasonLength } from '#lib/platform/rules/reason.ts'
import { findField, focusFieldOnceThere, focusIfLost } from '../browser/focus.ts'
import { Button } from '../button.tsx'
import { CopyButton } from '../copy-button.tsx'
import { TextField } from '../field.tsx'
import { ActionOutcome } from '../form/action-outcome.tsx'
import { DraftLine } from '../form/draft.tsx'
import { AfterFreshSignIn } from '../form/fresh-sign-in.tsx'
import { useFormAction } from '../form/use-form-action.ts'

/** Each of these usual reasons takes one click. */
const usualReasons = ['The customer asks', 'A bank asks', 'The provider asks'] as const

/**
 * The button asks for a masked value: it takes a reason by one click or in words, and passes on the server's
 * answer.
 */
export function RevealButton<T>({
  label,
  action,
  fields,
  onDone,
}: {
  readonly label: string
  readonly action: Action<T>
  /** `fields` are sent beside the reason. */
  readonly fields: Readonly<Record<string, string>>
  readonly onDone: (value: T) => void
}) {
  const [open, setOpen] = useState<'not' | 'now' | 'before'>('not')
  const panel = useRef<HTMLDivElement>(null)
  // Keys and pastes are meant for the reason from the press on, also while the server is asked for the sign-in.
  useEffect(() => {
    const { current } = panel
    if (open !== 'now' || current === null) return
    const field = findField(current)
    ;(field ?? current).focus({ preventScroll: true })
    if (field) return
    const isBusy = () => document.activeElement !== document.body && !current.contains(document.activeElement)
    const later = focusFieldOnceThere(current, isBusy)
    return () => later.disconnect()
  }, [open])
  if (open !== 'now')
    return (
      // The button is higher than its line: rows of facts stay equally far apart.
      <Button size="sm" autoFocus={open === 'before'} onClick={() => setOpen('now')} className="-my-1.5">
        <Eye aria-hidden />
        {label}
      </Button>
    )
  const cancel = (
    <Button size="sm" variant="ghost" onClick={() => setOpen('before')}>
      Cancel
    </Button>
  )
  return (
    <div
      ref={panel}
      tabIndex={-1}
      data-wide=""
      data-asks=""
      className="my-1.5 rounded-lg border bg-surface p-3 font-sans text-sm outline-none"
    >
      <AfterFreshSignIn cancel={cancel}>
        <ReasonForm label={label} action={action} fields={fields} onDone={onDone} cancel={cancel} />
      </AfterFreshSignIn>
    </div>
  )
}

function ReasonForm<T>({
  label,
  action,
  fields,
  onDone,
  cancel,
}: Parameters<typeof RevealButton<T>>[0] & { readonly cancel: ReactNode }) {
  const [reason, setReason] = useState('')
  const { state, pending, errorOf, draft, form } = useFormAction(action, onDone, {
    draft: [label, ...Object.values(fields)].join(' '),
    // The query may belong to a list beside.
    anyQuery: true,
  })
  /** The form holds the reason, so that it is still there when it is sent again after a sign-in. */
  const submit = (chosen: string, sent: HTMLFormElement | null) => {
    flushSync(() => setReason(chosen))
    sent?.requestSubmit()
  }
  return (
    <form {...form} aria-label={label} className="grid grid-cols-[minmax(0,1fr)] gap-2">
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <p className="text-muted">Reason? {reasonLength.least}+ characters, recorded in the audit log.</p>
      <div className="flex flex-wrap gap-1.5">
        {usualReasons.map((usual) => (
          <Button
            key={usual}
            size="sm"
            aria-disabled={pending || undefined}
            onClick={(event) => pending || submit(usual, event.currentTarget.form)}
          >
            {usual}
          </Button>
        ))}
      </div>
      <TextField
        label="Another reason, or a ticket"
        name="reason"
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        maxLength={reasonLength.most}
        autoComplete="off"
        error={errorOf('reason')}
      />
      <ActionOutcome state={state} />
      <div className="flex flex-wrap justify-end gap-2">
        <DraftLine draft={draft} />
        {cancel}
        <Button size="sm" type="submit" variant="primary" pending={pending}>
          {label}
        </Button>
      </div>
    </form>
  )
}

/** The reader can ask for the whole of a masked value, which then replaces it. */
export function RevealedValue({
  masked,
  label,
  action,
  fields,
  children,
}: {
  readonly masked: string
  readonly label: string
  readonly action: Action<{ readonly value: string }>
  readonly fields: Readonly<Record<string, string>>
  /** `children` shows the whole value; without it the value is shown as it is. */
  readonly children?: (value: string) => ReactNode
}) {
  const [whole, setWhole] = useState<{ readonly of: string; readonly value: string } | null>(null)
  // The record may get another value while the page is open.
  if (whole?.of === masked)
    return (
      <span ref={focusIfLost} tabIndex={-1}>
        {children ? children(whole.value) : whole.value}
      </span>
    )
  return (
    <>
      <span className="mono align-top">{masked}</span>{' '}
      <RevealButton
        label={label}
        action={action}
        fields={fields}
        onDone={({ value }) => setWhole({ of: masked, value })}
      />
    </>
  )
}

/** The account number is as the reader's role sees it: whole, masked, or masked with a way to ask for the whole. */
export function AccountNumber({
  number,
  reveal,
}: {
  readonly number: string
  /** `reveal` asks for the whole number; null when the role may not, or need not. */
  readonly reveal: {
    readonly action: Action<{ readonly value: string }>
    readonly record: 'transaction' | 'account'
    readonly uuid: string
    readonly field: string
  } | null
}) {
  if (!reveal)
    return number.includes('•') ? <span className="mono">{number}</span> : <Whole number={number} />
  const { action, ...fields } = reveal
  return (
    <RevealedValue masked={number} label="Reveal" action={action} fields={fields}>
      {(value) => <Whole number={value} />}
    </RevealedValue>
  )
}

/** The number has groups of four, as on paper. It is copied without the gaps. */
function Whole({ number }: { readonly number: string }) {
  const compact = number.replaceAll(' ', '')
  return (
    <span className="mono">
      {compact.replace(/(.{4})(?=.)/gu, '$1 ')}
      <CopyButton text={compact} label="Copy the account number" />
    </span>
  )
}
