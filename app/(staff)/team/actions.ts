'use server'
import { action } from '#lib/actions/action.ts'
import { InviteSchema, invite } from '#lib/links/invite.ts'
import { WithdrawInvitationSchema, withdrawInvitation } from '#lib/links/withdraw-invitation.ts'
import { ChangeRoleSchema, changeRole } from '#lib/members/change-role.ts'
import { EndMemberSessionsSchema, endMemberSessions } from '#lib/members/end-member-sessions.ts'
import { RemoveMemberSchema, removeMember } from '#lib/members/remove-member.ts'

export const inviteAction = action(InviteSchema, 'manage-team', invite)

export const withdrawInvitationAction = action(WithdrawInvitationSchema, 'manage-team', withdrawInvitation)

export const changeRoleAction = action(ChangeRoleSchema, 'manage-team', changeRole)

export const removeMemberAction = action(RemoveMemberSchema, 'manage-team', removeMember)

export const endMemberSessionsAction = action(EndMemberSessionsSchema, 'manage-team', endMemberSessions)
