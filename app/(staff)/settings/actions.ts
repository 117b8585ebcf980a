'use server'
import { action } from '#lib/actions/action.ts'
import { ShareTokenSchema, shareVerification } from '#lib/service-info/create-share-token.ts'
import { ChangeApiKeySchema, changeApiKey } from '#lib/service-key/change-api-key.ts'
import {
  BrandSchema,
  RetentionSchema,
  RulesSchema,
  saveBrand,
  saveRetention,
  saveRules,
} from '#lib/settings/settings-forms.ts'

export const saveBrandAction = action(BrandSchema, 'manage-settings', saveBrand)

export const saveRulesAction = action(RulesSchema, 'manage-settings', saveRules)

export const saveRetentionAction = action(RetentionSchema, 'manage-settings', saveRetention)

export const changeApiKeyAction = action(ChangeApiKeySchema, 'manage-settings', changeApiKey)

export const shareVerificationAction = action(ShareTokenSchema, 'manage-settings', shareVerification)
