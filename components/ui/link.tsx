import { clsx } from 'clsx'
import NextLink from 'next/link'
import type { ComponentProps } from 'react'
import { type ButtonStyle, buttonClass } from './button.tsx'

/**
 * The link opens another page of Rampart. Next's prefetch would ask the server twice for a part of each page that a
 * visible link opens, and keep none of the answers, because every page here is made anew for each request.
 */
export const Link = (link: Omit<ComponentProps<typeof NextLink>, 'prefetch'>) => (
  <NextLink {...link} prefetch={false} />
)

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
