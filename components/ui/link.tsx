import NextLink from 'next/link'
import type { ComponentProps } from 'react'

/**
 * A link to another page of Rampart. Next would ask the server for a part of each page that a link in sight leads to, twice,
 * and keep nothing of the answers: every page here is made anew whenever it is asked for.
 */
export const Link = (link: Omit<ComponentProps<typeof NextLink>, 'prefetch'>) => (
  <NextLink {...link} prefetch={false} />
)
