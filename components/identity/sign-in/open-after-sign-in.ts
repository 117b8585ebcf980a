import { announceSignIn } from '#components/ui/form/sign-in-channel.ts'
import { nextPath } from './next-path.ts'

/** Goes on after signing in: to `next`, a path of this site, or to the person's own first page. */
export function openAfterSignIn(next: string | null): void {
  announceSignIn()
  // Opened by a form that goes on where it is.
  if (window.opener) window.close()
  window.location.assign(nextPath(next))
}
