'use server'
import { action } from '#lib/actions/action.ts'
import { CloseGapSchema, closeGap } from '#lib/gaps/close-gap.ts'
import { allowGapExport, ExportGapSchema } from '#lib/gaps/export-gap.ts'
import { ReopenGapSchema, reopenGap } from '#lib/gaps/reopen-gap.ts'

export const closeGapAction = action(CloseGapSchema, 'manage-endpoints', closeGap)

export const reopenGapAction = action(ReopenGapSchema, 'manage-endpoints', reopenGap)

export const allowGapExportAction = action(ExportGapSchema, 'work-on-cases', allowGapExport)
