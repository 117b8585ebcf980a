'use server'

import { z } from 'zod'
import {
  ChangeEndpointSchema,
  changeEndpoint,
  setStatus as putStatus,
  SetStatusSchema,
} from '#lib/endpoints/change-endpoint.ts'
import { CreateEndpointSchema, createEndpoint } from '#lib/endpoints/create-endpoint.ts'
import { CloseGapSchema, closeGap, ReopenGapSchema, reopenGap } from '#lib/endpoints/gaps/close-gap.ts'
import { allowGapExport, ExportGapSchema } from '#lib/endpoints/gaps/gaps.ts'
import { checkPublicAddress } from '#lib/endpoints/public-address-check.ts'
import { RepairEndpointSchema, repairEndpoint } from '#lib/endpoints/repair-endpoint.ts'
import {
  DeleteEndpointSchema,
  deleteEndpoint,
  FinishReplacementSchema,
  finishReplacement,
  ReplaceEndpointSchema,
  replaceEndpoint,
} from '#lib/endpoints/replace-endpoint.ts'
import {
  ConfirmSecretSchema,
  confirmSecret,
  RotateSecretSchema,
  rotateSecret,
} from '#lib/endpoints/rotate-secret.ts'
import { action } from '#lib/identity/actions/action.ts'

export const createEndpointAction = action(CreateEndpointSchema, 'manage-endpoints', createEndpoint)

export const checkPublicAddressAction = action(z.object({}), 'manage-endpoints', checkPublicAddress)

export const changeEndpointAction = action(ChangeEndpointSchema, 'manage-endpoints', changeEndpoint)

export const setStatusAction = action(SetStatusSchema, 'manage-endpoints', putStatus)

export const rotateSecretAction = action(RotateSecretSchema, 'manage-endpoints', rotateSecret)

export const repairEndpointAction = action(RepairEndpointSchema, 'manage-endpoints', repairEndpoint)

export const deleteEndpointAction = action(DeleteEndpointSchema, 'manage-endpoints', deleteEndpoint)

export const replaceEndpointAction = action(ReplaceEndpointSchema, 'manage-endpoints', replaceEndpoint)

export const finishReplacementAction = action(FinishReplacementSchema, 'manage-endpoints', finishReplacement)

export const confirmSecretAction = action(ConfirmSecretSchema, 'manage-endpoints', confirmSecret)

export const closeGapAction = action(CloseGapSchema, 'manage-endpoints', closeGap)

export const reopenGapAction = action(ReopenGapSchema, 'manage-endpoints', reopenGap)

export const allowGapExportAction = action(ExportGapSchema, 'work-on-cases', allowGapExport)
