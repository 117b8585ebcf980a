'use client'

import { type ReactNode, useState } from 'react'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { RevealButton } from './reveal-button.tsx'

/** A masked value, with a way to ask for the whole, which then takes its place. */
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
  /** How the whole is shown; as it is by default. */
  readonly children?: (value: string) => ReactNode
}) {
  const [whole, setWhole] = useState<string | null>(null)
  if (whole !== null) return children ? children(whole) : whole
  return (
    <>
      <span className="mono">{masked}</span>{' '}
      <RevealButton label={label} action={action} fields={fields} onDone={({ value }) => setWhole(value)} />
    </>
  )
}
