'use client'

import type { ComponentProps } from 'react'
import { useWords } from '../browser/words.tsx'
import { TextField } from '../field.tsx'

/**
 * The field `email` is an e-mail address. It does not have the type `email`, because browsers rewrite the host of
 * such an address.
 */
export const EmailField = (
  field: Pick<ComponentProps<typeof TextField>, 'hint' | 'error' | 'defaultValue' | 'autoFocus'>,
) => (
  <TextField
    label={useWords()('form.email')}
    name="email"
    inputMode="email"
    autoComplete="email"
    autoCapitalize="none"
    spellCheck={false}
    required
    {...field}
  />
)
