import { clsx } from 'clsx'
import { LoaderCircle } from 'lucide-react'
import type { ComponentProps } from 'react'

/** `pending` shows that the button's work is under way, and prevents another press. The button keeps the focus. */
export function Button({
  variant,
  size,
  square,
  pending = false,
  disabled,
  type = 'button',
  className,
  onClick,
  children,
  ...rest
}: ComponentProps<'button'> & ButtonStyle & { readonly pending?: boolean | undefined }) {
  return (
    <button
      type={type}
      disabled={disabled}
      aria-disabled={pending || undefined}
      aria-busy={pending || undefined}
      onClick={pending ? (event) => event.preventDefault() : onClick}
      className={clsx(buttonClass({ variant, size, square }), className)}
      {...rest}
    >
      {pending && <LoaderCircle className="size-4 animate-spin" aria-hidden />}
      {children}
    </button>
  )
}

export type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'danger'
export type ButtonSize = 'sm' | 'md' | 'lg'

export interface ButtonStyle {
  readonly variant?: ButtonVariant | undefined
  readonly size?: ButtonSize | undefined
  /** `square` is for an icon alone, which then needs an `aria-label`. */
  readonly square?: boolean | undefined
}

/** Elements of other libraries get these classes to look like a button. */
export function buttonClass({ variant = 'secondary', size = 'md', square = false }: ButtonStyle): string {
  return clsx(
    // The button never shrinks beside others. It breaks into lines only when it alone is wider than its place.
    'inline-flex max-w-full shrink-0 select-none items-center justify-center gap-1.5 text-center font-label transition-colors',
    'pointer-coarse:min-h-10',
    'disabled:opacity-60 aria-disabled:opacity-60 [&_svg]:size-4 [&_svg]:shrink-0',
    square ? clsx(squareSizes[size], 'pointer-coarse:min-w-10') : sizes[size],
    variants[variant],
  )
}

const sizes = {
  sm: 'min-h-7 rounded-md px-2.5 py-0.5 text-xs',
  md: 'min-h-8.5 rounded-lg px-3.5 py-1 text-sm',
  lg: 'min-h-10 rounded-lg px-4 py-1.5 text-button',
} as const satisfies Record<ButtonSize, string>

const squareSizes = {
  sm: 'size-7 rounded-md',
  md: 'size-8.5 rounded-lg',
  lg: 'size-10 rounded-lg',
} as const satisfies Record<ButtonSize, string>

const variants = {
  primary: 'bg-ink text-on-ink hover:bg-ink-hover',
  secondary: 'border border-line-strong bg-surface text-text hover:bg-hover',
  ghost: 'text-muted hover:bg-hover hover:text-text',
  danger: 'border border-fail bg-surface text-fail hover:bg-fail-bg',
} as const satisfies Record<ButtonVariant, string>
