'use client'

import { useState } from 'react'
import type { Action } from '#lib/forms/action-state.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { RevealButton } from './reveal-button.tsx'

/** An account number as the reader's role has it: whole, masked, or masked with a way to ask for the whole. */
export function AccountNumber({
  number,
  reveal,
}: {
  readonly number: string
  /** How to ask for the whole; null where the role may not, or need not. */
  readonly reveal: {
    readonly action: Action<{ readonly value: string }>
    readonly transaction: string
    readonly field: string
  } | null
}) {
  const [whole, setWhole] = useState<string | null>(null)
  const shown = (whole ?? number).replaceAll(' ', '')
  const masked = shown.includes('•')
  return (
    <>
      <span className="mono">
        {masked ? shown : shown.replace(/(.{4})(?=.)/gu, '$1 ')}
        {!masked && <CopyButton text={shown} label="Copy the account number" />}
      </span>{' '}
      {reveal && whole === null && (
        <RevealButton
          label="Show whole"
          action={reveal.action}
          fields={{ transaction: reveal.transaction, field: reveal.field }}
          onDone={({ value }) => setWhole(value)}
        />
      )}
    </>
  )
}
