'use client'

import type { ComponentProps } from 'react'
import { useWords } from '../browser/words.tsx'
import { TextField } from '../ui/field.tsx'

/** An e-mail address, under the name `email`. */
export const EmailField = (
  field: Pick<ComponentProps<typeof TextField>, 'hint' | 'error' | 'defaultValue'>,
) => (
  <TextField
    label={useWords()('form.email')}
    name="email"
    type="email"
    inputMode="email"
    autoComplete="email"
    autoCapitalize="none"
    spellCheck={false}
    required
    {...field}
  />
)
