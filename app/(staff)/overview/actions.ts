'use server'

import { action } from '#lib/identity/actions/action.ts'
import {
  RetryDeadLettersSchema,
  retryDeadLettersNow,
} from '#lib/operations/dead-letters/retry-dead-letters.ts'
import { SnoozeSchema, snooze, UnsnoozeSchema, unsnooze } from '#lib/operations/overview/snoozes.ts'

export const retryDeadLettersAction = action(RetryDeadLettersSchema, 'manage-endpoints', retryDeadLettersNow)

export const snoozeAction = action(SnoozeSchema, 'work-on-cases', snooze)

export const unsnoozeAction = action(UnsnoozeSchema, 'work-on-cases', unsnooze)
