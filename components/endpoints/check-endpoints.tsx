'use client'

import { useContext } from 'react'
import type { ButtonVariant } from '#components/ui/button.tsx'
import { ButtonLink } from '#components/ui/link.tsx'
import { Feed } from '#components/ui/live/live.tsx'

/** The button of an empty page is there for roles that may see the health of endpoints, which others are not sent. */
export const CheckEndpoints = ({ variant }: { readonly variant?: ButtonVariant }) =>
  useContext(Feed)?.status?.health && (
    <ButtonLink variant={variant} href="/endpoints">
      Check the endpoints
    </ButtonLink>
  )
