'use server'

import { action } from '#lib/identity/actions/action.ts'
import {
  InviteSchema,
  invite,
  WithdrawInvitationSchema,
  withdrawInvitation,
} from '#lib/identity/links/invitations.ts'
import {
  ChangeRoleSchema,
  changeRole,
  EndMemberSessionsSchema,
  endMemberSessions,
  RemoveMemberSchema,
  removeMember,
} from '#lib/identity/members/change-members.ts'

export const inviteAction = action(InviteSchema, 'manage-team', invite)

export const withdrawInvitationAction = action(WithdrawInvitationSchema, 'manage-team', withdrawInvitation)

export const changeRoleAction = action(ChangeRoleSchema, 'manage-team', changeRole)

export const removeMemberAction = action(RemoveMemberSchema, 'manage-team', removeMember)

export const endMemberSessionsAction = action(EndMemberSessionsSchema, 'manage-team', endMemberSessions)
