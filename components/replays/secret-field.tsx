import { TextField } from '../ui/field.tsx'

/** The secret of a receiver: typed each time, and kept by nobody. */
export function SecretField({ error }: { readonly error: string | undefined }) {
  return (
    <TextField
      label="Secret"
      name="secret"
      type="password"
      autoComplete="off"
      spellCheck={false}
      mono
      required
      hint="Sent as “Authorization: API-Key …”. It is not kept: a restart of this dashboard interrupts the replay, and you give it again."
      error={error}
    />
  )
}
