import { clsx } from 'clsx'
import { CircleAlert } from 'lucide-react'
import { type ComponentProps, type ReactNode, useId } from 'react'
import { Input } from './input.tsx'

/** The control inside a field carries these attributes, so that its label, hint and error belong to it. */
export interface FieldControl {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
}

interface FieldTexts {
  readonly label: ReactNode
  /** `hint` says before any error what to enter, and why. */
  readonly hint?: ReactNode
  /** `error` says what is wrong with the input, and what to do. */
  readonly error?: string | null | undefined
  /** `aside` is at the right of the label, for a count or a link. */
  readonly aside?: ReactNode
}

/** A label, a control and a hint or error are a field: `<Field …>{(control) => <Select {...control} />}</Field>` */
export function Field({
  label,
  hint,
  error,
  aside,
  className,
  children,
}: FieldTexts & { readonly className?: string; readonly children: (control: FieldControl) => ReactNode }) {
  const id = useId()
  const said = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div className={className}>
      <div className="mb-1.5 flex items-baseline justify-between gap-3 text-sm">
        <label htmlFor={id} className="font-label">
          {label}
        </label>
        {aside && <span className="text-faint text-xs">{aside}</span>}
      </div>
      {children({
        id,
        'aria-describedby': said === '' ? undefined : said,
        'aria-invalid': error ? true : undefined,
      })}
      {hint && (
        <p id={`${id}-hint`} className="mt-1.5 text-muted text-sm">
          {hint}
        </p>
      )}
      {error && <FieldError id={`${id}-error`}>{error}</FieldError>}
    </div>
  )
}

/** The error has words beside a sign. Screen readers announce it when it appears. */
export function FieldError({ children, className, ...rest }: ComponentProps<'p'>) {
  return (
    <p
      role="alert"
      className={clsx('mt-1.5 flex items-start gap-1.5 text-fail text-sm', className)}
      {...rest}
    >
      <CircleAlert className="mt-[0.1875rem] size-3.5" aria-hidden />
      <span>{children}</span>
    </p>
  )
}

/** The usual field has one line of text. */
export function TextField({
  label,
  hint,
  error,
  aside,
  className,
  ...input
}: FieldTexts & ComponentProps<typeof Input>) {
  return (
    <Field label={label} hint={hint} error={error} aside={aside} {...(className ? { className } : {})}>
      {(control) => <Input {...control} {...input} />}
    </Field>
  )
}
