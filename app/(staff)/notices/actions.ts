'use server'
import { MarkNoticesSeenSchema, markNoticesSeen } from '#lib/audit/notices/mark-notices-seen.ts'
import { action } from '#lib/identity/actions/action.ts'

export const markNoticesSeenAction = action(MarkNoticesSeenSchema, 'read-notices', markNoticesSeen)
