import 'server-only'
import { roleLabels } from '#lib/access/labels/role-labels.ts'
import type { StaffRole } from '#lib/access/rules/roles.ts'
import { isolated } from '#lib/platform/rules/visible-text.ts'

/** What an invitation says, as plain text. */
export function invitationMail({
  name,
  role,
  link,
  expiresAt,
  by,
}: {
  readonly name: string
  readonly role: StaffRole
  readonly link: string
  readonly expiresAt: Date
  readonly by: string
}): { readonly subject: string; readonly text: string } {
  const { hostname } = new URL(link)
  const inviter = isolated(by)
  return {
    subject: `${inviter} invites you to Rampart at ${hostname}`,
    text: `Hello ${isolated(name)},

${inviter} invites you to the team at ${hostname}, with the role ${roleLabels[role]}.

Open this link in the browser that you want to work in:

${link}

It is good for you alone, once, until ${expiresAt.toUTCString()}. Do not pass it on: whoever opens it first
joins in your place. If you did not expect it, delete this mail.
`,
  }
}
