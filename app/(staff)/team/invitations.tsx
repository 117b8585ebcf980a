import { InvitationsTable } from '#components/identity/team/invitations.tsx'
import { Card } from '#components/ui/card.tsx'
import type { Caller } from '#lib/access/caller.ts'
import { listInvitations } from '#lib/identity/links/invitations.ts'
import { withdrawInvitationAction } from './actions.ts'

/** The list has people who are invited and have not joined yet. */
export async function Invitations({ caller }: { readonly caller: Caller }) {
  const invitations = await listInvitations(caller)
  return (
    <section aria-labelledby="invitations" className="mt-6">
      <h2 id="invitations" className="mb-2.5 font-title text-muted text-sm">
        Invitations
      </h2>
      <Card>
        {invitations.length === 0 ? (
          <p className="px-4 py-3 text-muted text-table">Nobody is invited at the moment.</p>
        ) : (
          <InvitationsTable invitations={invitations} withdraw={withdrawInvitationAction} />
        )}
      </Card>
    </section>
  )
}
