import NextLink from 'next/link'
import type { ComponentProps } from 'react'

/**
 * The link opens another page of Rampart. Next's prefetch would ask the server twice for a part of each page that a
 * visible link opens, and keep none of the answers, because every page here is made anew for each request.
 */
export const Link = (link: Omit<ComponentProps<typeof NextLink>, 'prefetch'>) => (
  <NextLink {...link} prefetch={false} />
)
