'use server'
import { action } from '#lib/auth/action.ts'
import { CloseGapForm, closeGap } from '#lib/gaps/close-gap.ts'
import { ReopenGapForm, reopenGap } from '#lib/gaps/reopen-gap.ts'

export const close = action(CloseGapForm, 'manage-endpoints', closeGap)

export const reopen = action(ReopenGapForm, 'manage-endpoints', reopenGap)
