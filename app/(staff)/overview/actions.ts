'use server'
import { action } from '#lib/auth/action.ts'
import { TryAgainForm, tryAgain } from '#lib/set-aside/try-again.ts'

export const tryAgainNow = action(TryAgainForm, 'manage-endpoints', tryAgain)
