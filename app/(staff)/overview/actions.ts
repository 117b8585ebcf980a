'use server'

import { action } from '#lib/identity/actions/action.ts'
import {
  RetryDeadLettersSchema,
  retryDeadLettersNow,
} from '#lib/operations/dead-letters/retry-dead-letters.ts'
import { MuteSchema, mute, UnmuteSchema, unmute } from '#lib/operations/overview/mutes.ts'

export const retryDeadLettersAction = action(RetryDeadLettersSchema, 'manage-endpoints', retryDeadLettersNow)

export const muteAction = action(MuteSchema, 'work-on-cases', mute)

export const unmuteAction = action(UnmuteSchema, 'work-on-cases', unmute)
