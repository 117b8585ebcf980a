'use server'
import { action } from '#lib/actions/action.ts'
import { MarkNoticesSeenSchema, markNoticesSeen } from '#lib/notices/mark-notices-seen.ts'

export const markNoticesSeenAction = action(MarkNoticesSeenSchema, 'read-notices', markNoticesSeen)
