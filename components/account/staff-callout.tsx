import type { Role } from '#lib/domain/access/roles.ts'
import { roleLabels } from '#lib/labels/role-labels.ts'
import { ButtonLink } from '../ui/button.tsx'
import { Callout } from '../ui/callout.tsx'

/** For a member of staff who signed in by what is not enough for staff. */
export const StaffCallout = ({ role }: { readonly role: Role }) => (
  <Callout
    kind="warning"
    title={`You are a member of the team (${roleLabels[role]}), signed in here as a customer.`}
    actions={
      <ButtonLink href="/sign-in?again=1&next=/" prefetch={false}>
        Sign in as staff
      </ButtonLink>
    }
  >
    A wallet or an e-mail code alone does not open the pages of the team: sign in with your passkey or by
    single sign-on. If you have neither yet, ask whoever runs this dashboard for a sign-in link.
  </Callout>
)
