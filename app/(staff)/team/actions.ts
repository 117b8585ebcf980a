'use server'
import { action } from '#lib/identity/actions/action.ts'
import { InviteSchema, invite } from '#lib/identity/links/invite.ts'
import { WithdrawInvitationSchema, withdrawInvitation } from '#lib/identity/links/withdraw-invitation.ts'
import { ChangeRoleSchema, changeRole } from '#lib/identity/members/change-role.ts'
import { EndMemberSessionsSchema, endMemberSessions } from '#lib/identity/members/end-member-sessions.ts'
import { RemoveMemberSchema, removeMember } from '#lib/identity/members/remove-member.ts'

export const inviteAction = action(InviteSchema, 'manage-team', invite)

export const withdrawInvitationAction = action(WithdrawInvitationSchema, 'manage-team', withdrawInvitation)

export const changeRoleAction = action(ChangeRoleSchema, 'manage-team', changeRole)

export const removeMemberAction = action(RemoveMemberSchema, 'manage-team', removeMember)

export const endMemberSessionsAction = action(EndMemberSessionsSchema, 'manage-team', endMemberSessions)
