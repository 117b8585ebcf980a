'use server'
import { action } from '#lib/actions/action.ts'
import { RetryDeadLettersSchema, retryDeadLettersNow } from '#lib/dead-letters/retry-dead-letters-now.ts'
import { MuteSchema, mute } from '#lib/overview/mute.ts'
import { UnmuteSchema, unmute } from '#lib/overview/unmute.ts'

export const retryDeadLettersAction = action(RetryDeadLettersSchema, 'manage-endpoints', retryDeadLettersNow)

export const muteAction = action(MuteSchema, 'work-on-cases', mute)

export const unmuteAction = action(UnmuteSchema, 'work-on-cases', unmute)
