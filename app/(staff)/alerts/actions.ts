'use server'

import { action } from '#lib/identity/actions/action.ts'
import { ChangeAlertReceivingSchema, changeAlertReceiving } from '#lib/operations/alerts/alert-members.ts'
import { AcknowledgeAlertSchema, acknowledgeAlert } from '#lib/operations/alerts/alerts.ts'

export const acknowledgeAlertAction = action(AcknowledgeAlertSchema, 'work-on-cases', acknowledgeAlert)

export const changeAlertReceivingAction = action(
  ChangeAlertReceivingSchema,
  'see-endpoint-health',
  changeAlertReceiving,
)
