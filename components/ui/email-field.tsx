import type { ComponentProps } from 'react'
import { TextField } from './field.tsx'

/** The field `email`, as keyboards and browsers complete it best. */
export function EmailField(rest: Omit<ComponentProps<typeof TextField>, 'label' | 'name' | 'type'>) {
  return (
    <TextField
      label="E-mail"
      name="email"
      type="email"
      inputMode="email"
      autoComplete="email"
      autoCapitalize="none"
      spellCheck={false}
      required
      {...rest}
    />
  )
}
