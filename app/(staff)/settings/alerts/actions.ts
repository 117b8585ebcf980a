'use server'

import { action } from '#lib/identity/actions/action.ts'
import {
  AddAlertChannelSchema,
  addAlertChannel,
  ChangeAlertChannelSchema,
  changeAlertChannel,
  RemoveAlertChannelSchema,
  removeAlertChannel,
  TestAlertChannelSchema,
  testAlertChannel,
} from '#lib/operations/alerts/alert-channels.ts'
import { ChangeAlertRuleSchema, changeAlertRule } from '#lib/operations/alerts/alert-rules.ts'

export const changeAlertRuleAction = action(ChangeAlertRuleSchema, 'manage-settings', changeAlertRule)

export const addAlertChannelAction = action(AddAlertChannelSchema, 'manage-settings', addAlertChannel)

export const changeAlertChannelAction = action(
  ChangeAlertChannelSchema,
  'manage-settings',
  changeAlertChannel,
)

export const removeAlertChannelAction = action(
  RemoveAlertChannelSchema,
  'manage-settings',
  removeAlertChannel,
)

export const testAlertChannelAction = action(TestAlertChannelSchema, 'manage-settings', testAlertChannel)
