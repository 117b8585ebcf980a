'use server'
import { action } from '#lib/actions/action.ts'
import { InviteSchema, invite } from '#lib/links/invite.ts'
import { WithdrawInvitationSchema, withdrawInvitation } from '#lib/links/withdraw-invitation.ts'

export const inviteAction = action(InviteSchema, 'manage-team', invite)

export const withdrawInvitationAction = action(WithdrawInvitationSchema, 'manage-team', withdrawInvitation)
