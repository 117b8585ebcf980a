import { clsx } from 'clsx'
import type { ComponentProps } from 'react'
import { type ButtonLook, buttonClass } from './button-class.ts'
import { Link } from './link.tsx'

/** A link that looks like a button: for going somewhere, not for doing something. */
export function ButtonLink({
  variant,
  size,
  square,
  className,
  ...rest
}: ComponentProps<typeof Link> & ButtonLook) {
  return <Link className={clsx(buttonClass({ variant, size, square }), className)} {...rest} />
}
