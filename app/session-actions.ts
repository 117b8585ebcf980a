'use server'
import { action } from '#lib/actions/action.ts'
import {
  EndOtherSessionsSchema,
  EndOwnSessionSchema,
  endOtherSessions,
  endOwnSession,
} from '#lib/auth/end-sessions.ts'

export const endOwnSessionAction = action(EndOwnSessionSchema, 'signed-in', endOwnSession)

export const endOtherSessionsAction = action(EndOtherSessionsSchema, 'signed-in', endOtherSessions)
