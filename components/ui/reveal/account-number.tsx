'use client'

import type { Action } from '#lib/platform/forms/action-state.ts'
import { CopyButton } from '../copy-button.tsx'
import { RevealedValue } from './revealed-value.tsx'

/** An account number as the reader's role has it: whole, masked, or masked with a way to ask for the whole. */
export function AccountNumber({
  number,
  reveal,
}: {
  readonly number: string
  /** How to ask for the whole; null where the role may not, or need not. */
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
    <RevealedValue masked={number} label="Show whole" action={action} fields={fields}>
      {(value) => <Whole number={value} />}
    </RevealedValue>
  )
}

/** In groups of four, as on paper; copied without the gaps. */
function Whole({ number }: { readonly number: string }) {
  const compact = number.replaceAll(' ', '')
  return (
    <span className="mono">
      {compact.replace(/(.{4})(?=.)/gu, '$1 ')}
      <CopyButton text={compact} label="Copy the account number" />
    </span>
  )
}
