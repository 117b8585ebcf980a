import { ButtonLink } from '#components/ui/button-link.tsx'
import { Callout } from '#components/ui/callout.tsx'
import { roleLabels } from '#lib/access/labels/role-labels.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import type { CustomerWords } from '#lib/words/labels/customer-labels.ts'

/** A member of staff sees this when their way to sign in is not enough for staff. */
export const StaffCallout = ({ words, role }: { readonly words: CustomerWords; readonly role: Role }) => (
  <Callout
    kind="warning"
    title={words('account.staffTitle', { role: roleLabels[role] })}
    actions={<ButtonLink href="/sign-in?again=1&next=/">{words('account.staffSignIn')}</ButtonLink>}
  >
    {words('account.staffNext')}
  </Callout>
)
