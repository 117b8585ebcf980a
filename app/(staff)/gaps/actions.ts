'use server'

import { CloseGapSchema, closeGap, ReopenGapSchema, reopenGap } from '#lib/endpoints/gaps/close-gap.ts'
import { allowGapExport, ExportGapSchema } from '#lib/endpoints/gaps/gaps.ts'
import { action } from '#lib/identity/actions/action.ts'

export const closeGapAction = action(CloseGapSchema, 'manage-endpoints', closeGap)

export const reopenGapAction = action(ReopenGapSchema, 'manage-endpoints', reopenGap)

export const allowGapExportAction = action(ExportGapSchema, 'work-on-cases', allowGapExport)
