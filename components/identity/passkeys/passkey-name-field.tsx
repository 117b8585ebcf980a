import { TextField } from '#components/ui/field.tsx'

/** What its owner calls a passkey: the field `passkeyName`. */
export const PasskeyNameField = ({
  error,
  defaultValue,
}: {
  readonly error: string | undefined
  readonly defaultValue?: string
}) => (
  <TextField
    label="Name of this passkey"
    hint="To tell it from others, such as “Work laptop”."
    name="passkeyName"
    maxLength={60}
    autoComplete="off"
    required
    defaultValue={defaultValue}
    error={error}
  />
)
