'use server'
import { action } from '#lib/identity/actions/action.ts'
import {
  RetryDeadLettersSchema,
  retryDeadLettersNow,
} from '#lib/operations/dead-letters/retry-dead-letters-now.ts'
import { MuteSchema, mute } from '#lib/operations/overview/mute.ts'
import { UnmuteSchema, unmute } from '#lib/operations/overview/unmute.ts'

export const retryDeadLettersAction = action(RetryDeadLettersSchema, 'manage-endpoints', retryDeadLettersNow)

export const muteAction = action(MuteSchema, 'work-on-cases', mute)

export const unmuteAction = action(UnmuteSchema, 'work-on-cases', unmute)
