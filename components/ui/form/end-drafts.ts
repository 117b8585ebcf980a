import { beforeSignIn, removeDrafts } from './draft-store.ts'
import { announceSignOut } from './sign-out-channel.ts'

/** Nobody comes back to this session: what was typed and not sent goes in every tab of this browser. */
export function endDrafts(): void {
  removeDrafts([beforeSignIn])
  announceSignOut()
}
