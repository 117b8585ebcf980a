'use client'

import { useEffect } from 'react'
import { useWords } from '#components/ui/browser/words.tsx'
import { announceSignIn } from '#components/ui/form/tab-channel.ts'
import { ButtonLink } from '#components/ui/link.tsx'
import { nextPath } from '#lib/identity/rules/next-path.ts'

/** The next page opens at once. The button is for browsers in which that takes a while. */
export function GoOn({ next }: { readonly next: string | null }) {
  const words = useWords()
  useEffect(() => openAfterSignIn(next), [next])
  return (
    <div className="mx-auto grid justify-items-center gap-4 text-center">
      <h1 className="font-heading text-lg">{words('signIn.signedIn')}</h1>
      <ButtonLink variant="primary" href={nextPath(next)}>
        {words('signIn.goOn')}
      </ButtonLink>
    </div>
  )
}

/** After a sign-in, `next` opens (a path of this site), or else the person's own first page. */
export function openAfterSignIn(next: string | null): void {
  announceSignIn()
  // A form in another tab opened this window and goes on there.
  if (window.opener) window.close()
  window.location.assign(nextPath(next))
}
