import { reasonLength } from '#lib/platform/rules/reason.ts'
import { Field } from '../field.tsx'
import { Textarea } from '../input.tsx'

/** The audit keeps the reason of every confirmed action. */
export const ReasonField = ({ error }: { readonly error: string | null | undefined }) => (
  <Field label="Reason" hint={`${reasonLength.least}+ characters, recorded in the audit log.`} error={error}>
    {(control) => (
      <Textarea
        {...control}
        name="reason"
        rows={2}
        className="min-h-14!"
        minLength={reasonLength.least}
        maxLength={reasonLength.most}
        required
      />
    )}
  </Field>
)
