'use server'

import { MarkNoticesSeenSchema, markNoticesSeen } from '#lib/audit/notices/notices.ts'
import { action } from '#lib/identity/actions/action.ts'

export const markNoticesSeenAction = action(MarkNoticesSeenSchema, 'read-notices', markNoticesSeen)
