import { NoAccessLater } from '#components/refusals-later.tsx'
import { findSession } from '#lib/auth/require-session.ts'
import { env } from '#lib/env.ts'
import { roleLabels } from '#lib/labels/role-labels.ts'

/** Next answers 403 with this where `requirePage` finds that the role does not carry the permission. */
export default async function StaffForbidden() {
  const caller = await findSession()
  if (!caller) return null
  const { role, name, email } = caller
  return (
    <NoAccessLater role={role} name={name ?? email ?? roleLabels[role]} origin={env().publicUrl.origin} />
  )
}
