import { clsx } from 'clsx'
import { LoaderCircle } from 'lucide-react'
import type { ComponentProps } from 'react'
import { type ButtonStyle, buttonClass } from './button-class.ts'

/** `pending` shows that the button's work is under way, and prevents another press. */
export function Button({
  variant,
  size,
  square,
  pending = false,
  disabled,
  type = 'button',
  className,
  children,
  ...rest
}: ComponentProps<'button'> & ButtonStyle & { readonly pending?: boolean | undefined }) {
  return (
    <button
      type={type}
      disabled={disabled || pending}
      aria-busy={pending || undefined}
      className={clsx(buttonClass({ variant, size, square }), className)}
      {...rest}
    >
      {pending && <LoaderCircle className="size-4 animate-spin" aria-hidden />}
      {children}
    </button>
  )
}
