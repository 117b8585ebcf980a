'use client'

import type { ComponentProps } from 'react'
import { useWords } from '../browser/words.tsx'
import { TextField } from '../field.tsx'

/** An e-mail address, under the name `email`. No field of the type `email`: browsers write the host of one in another way. */
export const EmailField = (
  field: Pick<ComponentProps<typeof TextField>, 'hint' | 'error' | 'defaultValue'>,
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
