import { NoAccessLater } from '#components/ui/shared/refusals-later.tsx'
import { roleLabels } from '#lib/access/labels/role-labels.ts'
import { findSession } from '#lib/identity/sessions/read-request.ts'
import { env } from '#lib/platform/env.ts'

/** Next answers 403 with this page when `requirePage` finds that the role does not carry the permission. */
export default async function StaffForbidden() {
  const caller = await findSession()
  if (!caller) return null
  const { role, name, email } = caller
  return (
    <NoAccessLater role={role} name={name ?? email ?? roleLabels[role]} origin={env().publicUrl.origin} />
  )
}
