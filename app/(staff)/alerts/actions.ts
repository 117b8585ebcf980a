'use server'

import { action } from '#lib/identity/actions/action.ts'
import { ChangeAlertReceivingSchema, changeAlertReceiving } from '#lib/operations/alerts/alert-members.ts'
import { AlertIdSchema, acknowledgeAlert, unacknowledgeAlert } from '#lib/operations/alerts/alerts.ts'
import { AllowAlertsExportSchema, allowAlertsExport } from '#lib/operations/alerts/export-alerts.ts'

export const acknowledgeAlertAction = action(AlertIdSchema, 'work-on-cases', acknowledgeAlert)

export const unacknowledgeAlertAction = action(AlertIdSchema, 'work-on-cases', unacknowledgeAlert)

export const allowAlertsExportAction = action(AllowAlertsExportSchema, 'see-alerts', allowAlertsExport)

export const changeAlertReceivingAction = action(
  ChangeAlertReceivingSchema,
  'see-alerts',
  changeAlertReceiving,
)
