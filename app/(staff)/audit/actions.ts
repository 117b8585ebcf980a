'use server'
import { z } from 'zod'
import { action } from '#lib/actions/action.ts'
import { checkChainNow } from '#lib/audit/check-chain.ts'
import { AllowAuditExportSchema, allowAuditExport } from '#lib/exports/export-audit.ts'

export const checkChainAction = action(z.object({}), 'read-audit', checkChainNow)

export const allowAuditExportAction = action(AllowAuditExportSchema, 'read-audit', allowAuditExport)
