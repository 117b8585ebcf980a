import { Field } from '../field.tsx'
import { Select } from '../select.tsx'
import { type ListFilter, withChosen } from './filter-chips.tsx'

/** A filter is a field: in a form that sends it, or with `onChange`, where a choice takes effect at once. */
export function FilterSelect({
  filter,
  error,
  onChange,
}: {
  readonly filter: ListFilter
  readonly error?: string | null | undefined
  readonly onChange?: (value: string | null) => void
}) {
  const { name, label, value, none = 'Any' } = filter
  const held = value ?? ''
  return (
    <Field label={label} error={error}>
      {(control) => (
        <Select
          {...control}
          name={name}
          {...(onChange
            ? { value: held, onChange: ({ target }) => onChange(target.value === '' ? null : target.value) }
            : { defaultValue: held })}
        >
          <option value="">{none}</option>
          {withChosen(filter).map(([each, text]) => (
            <option key={each} value={each}>
              {text}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}
