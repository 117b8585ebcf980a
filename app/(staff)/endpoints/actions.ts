'use server'
import { z } from 'zod'
import { action } from '#lib/auth/action.ts'
import { ChangeEndpointSchema, changeEndpoint } from '#lib/endpoints/change-endpoint.ts'
import { checkPublicAddress } from '#lib/endpoints/check-public-address.ts'
import { ConfirmSecretSchema, confirmSecret } from '#lib/endpoints/confirm-secret.ts'
import { CreateEndpointSchema, createEndpoint } from '#lib/endpoints/create-endpoint.ts'
import { DeleteEndpointSchema, deleteEndpoint } from '#lib/endpoints/delete-endpoint.ts'
import { FinishReplacementSchema, finishReplacement } from '#lib/endpoints/finish-replacement.ts'
import { TakeOverSchema, repairEndpoint as takeOverEndpoint } from '#lib/endpoints/repair-endpoint.ts'
import { ReplaceEndpointSchema, replaceEndpoint } from '#lib/endpoints/replace-endpoint.ts'
import { RotateSecretSchema, rotateSecret } from '#lib/endpoints/rotate-secret.ts'
import { setStatus as putStatus, SetStatusSchema } from '#lib/endpoints/set-status.ts'

export const create = action(CreateEndpointSchema, 'manage-endpoints', createEndpoint)

export const check = action(z.object({}), 'manage-endpoints', checkPublicAddress)

export const change = action(ChangeEndpointSchema, 'manage-endpoints', changeEndpoint)

export const setStatus = action(SetStatusSchema, 'manage-endpoints', putStatus)

export const rotate = action(RotateSecretSchema, 'manage-endpoints', rotateSecret)

export const takeOver = action(TakeOverSchema, 'manage-endpoints', takeOverEndpoint)

export const remove = action(DeleteEndpointSchema, 'manage-endpoints', deleteEndpoint)

export const replace = action(ReplaceEndpointSchema, 'manage-endpoints', replaceEndpoint)

export const finish = action(FinishReplacementSchema, 'manage-endpoints', finishReplacement)

export const confirm = action(ConfirmSecretSchema, 'manage-endpoints', confirmSecret)
