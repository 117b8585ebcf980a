import { clsx } from 'clsx'
import type { ComponentProps } from 'react'
import { type ButtonStyle, buttonClass } from './button-class.ts'
import { Link } from './link.tsx'

/** The link looks like a button. It goes somewhere and does nothing else. */
export function ButtonLink({
  variant,
  size,
  square,
  className,
  ...rest
}: ComponentProps<typeof Link> & ButtonStyle) {
  return <Link className={clsx(buttonClass({ variant, size, square }), className)} {...rest} />
}
