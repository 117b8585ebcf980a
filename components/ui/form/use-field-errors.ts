'use client'

import { type SyntheticEvent, useState } from 'react'
import type { ActionState } from '#lib/platform/forms/action-state.ts'
import { ownValue } from '#lib/platform/rules/own-value.ts'
import { isControl } from './draft-controls.ts'
import { isMended } from './is-mended.ts'

/** What is wrong with each field by the last answer, until it is put right. */
export function useFieldErrors(state: ActionState<unknown>) {
  const [mended, setMended] = useState<{
    readonly of: ActionState<unknown>
    readonly names: readonly string[]
  }>({ of: state, names: [] })
  const names = mended.of === state ? mended.names : []
  return {
    errorOf: (field: string): string | undefined =>
      state.kind === 'invalid' && !names.includes(field) ? ownValue(state.fields, field) : undefined,
    /** For the form element. */
    onInput: ({ target }: SyntheticEvent<HTMLFormElement>) => {
      if (state.kind !== 'invalid' || !isControl(target) || !Object.hasOwn(state.fields, target.name)) return
      const others = names.filter((name) => name !== target.name)
      setMended({ of: state, names: isMended(target, state.values) ? [...others, target.name] : others })
    },
  }
}
