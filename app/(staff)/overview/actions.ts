'use server'
import { action } from '#lib/actions/action.ts'
import { RetryDeadLettersSchema, retryDeadLettersNow } from '#lib/dead-letters/retry-dead-letters-now.ts'

export const retryDeadLettersAction = action(RetryDeadLettersSchema, 'manage-endpoints', retryDeadLettersNow)
