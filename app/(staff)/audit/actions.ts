'use server'

import { z } from 'zod'
import { checkChainNow } from '#lib/audit/check-chain.ts'
import { AllowAuditExportSchema, allowAuditExport } from '#lib/audit/export-audit.ts'
import { AuditFiltersSchema, resolveFilters } from '#lib/audit/list-audit.ts'
import { action } from '#lib/identity/actions/action.ts'

export const checkChainAction = action(z.object({}), 'read-audit', checkChainNow)

export const allowAuditExportAction = action(AllowAuditExportSchema, 'read-audit', allowAuditExport)

export const resolveFiltersAction = action(AuditFiltersSchema, 'read-audit', resolveFilters)
