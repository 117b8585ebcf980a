import type { Role } from '#lib/domain/access/roles.ts'
import type { CustomerWords } from '#lib/labels/customer-labels.ts'
import { roleLabels } from '#lib/labels/role-labels.ts'
import { ButtonLink } from '../ui/button-link.tsx'
import { Callout } from '../ui/callout.tsx'

/** For a member of staff who signed in by what is not enough for staff. */
export const StaffCallout = ({ words, role }: { readonly words: CustomerWords; readonly role: Role }) => (
  <Callout
    kind="warning"
    title={words('account.staffTitle', { role: roleLabels[role] })}
    actions={<ButtonLink href="/sign-in?again=1&next=/">{words('account.staffSignIn')}</ButtonLink>}
  >
    {words('account.staffNext')}
  </Callout>
)
