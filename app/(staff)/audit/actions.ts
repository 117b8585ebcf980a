'use server'
import { z } from 'zod'
import { action } from '#lib/actions/action.ts'
import { checkChainNow } from '#lib/audit/check-chain.ts'

export const checkChainAction = action(z.object({}), 'read-audit', checkChainNow)
