'use server'

import { z } from 'zod'
import {
  ChangeApiKeySchema,
  changeApiKey,
  ShareTokenSchema,
  shareVerification,
} from '#lib/endpoints/service-key/change-api-key.ts'
import { action } from '#lib/identity/actions/action.ts'
import { testSingleSignOn } from '#lib/identity/single-sign-on/reports.ts'
import { SendTestMailSchema, sendTestMail } from '#lib/operations/settings/read-mail-health.ts'
import {
  restoreSentence,
  SentenceSchema,
  StandardSentenceSchema,
  saveSentence,
  showSentence,
} from '#lib/operations/settings/sentences.ts'
import {
  BrandSchema,
  LogMonthsSchema,
  RetentionSchema,
  RulesSchema,
  saveBrand,
  saveLogMonths,
  saveRetention,
  saveRules,
} from '#lib/operations/settings/settings-forms.ts'

export const saveBrandAction = action(BrandSchema, 'manage-settings', saveBrand)

export const saveRulesAction = action(RulesSchema, 'manage-settings', saveRules)

export const saveRetentionAction = action(RetentionSchema, 'manage-settings', saveRetention)

export const saveLogMonthsAction = action(LogMonthsSchema, 'manage-settings', saveLogMonths)

export const changeApiKeyAction = action(ChangeApiKeySchema, 'manage-settings', changeApiKey)

export const testSingleSignOnAction = action(z.object({}), 'manage-settings', testSingleSignOn)

export const sendTestMailAction = action(SendTestMailSchema, 'manage-settings', sendTestMail)

export const shareVerificationAction = action(ShareTokenSchema, 'manage-settings', shareVerification)

export const showSentenceAction = action(SentenceSchema, 'manage-settings', showSentence)

export const saveSentenceAction = action(SentenceSchema, 'manage-settings', saveSentence)

export const restoreSentenceAction = action(StandardSentenceSchema, 'manage-settings', restoreSentence)
