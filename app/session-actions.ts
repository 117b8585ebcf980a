'use server'

import { action } from '#lib/identity/actions/action.ts'
import {
  EndOtherSessionsSchema,
  EndOwnSessionSchema,
  endOtherSessions,
  endOwnSession,
} from '#lib/identity/sessions/person-sessions.ts'

export const endOwnSessionAction = action(EndOwnSessionSchema, 'signed-in', endOwnSession)

export const endOtherSessionsAction = action(EndOtherSessionsSchema, 'signed-in', endOtherSessions)
