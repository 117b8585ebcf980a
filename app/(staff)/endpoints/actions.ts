'use server'
import { z } from 'zod'
import { action } from '#lib/auth/action.ts'
import { ChangeEndpointForm, changeEndpoint } from '#lib/endpoints/change-endpoint.ts'
import { checkPublicAddress } from '#lib/endpoints/check-public-address.ts'
import { ConfirmSecretForm, confirmSecret } from '#lib/endpoints/confirm-secret.ts'
import { CreateEndpointForm, createEndpoint } from '#lib/endpoints/create-endpoint.ts'
import { DeleteEndpointForm, deleteEndpoint } from '#lib/endpoints/delete-endpoint.ts'
import { FinishReplacementForm, finishReplacement } from '#lib/endpoints/finish-replacement.ts'
import { TakeOverForm, repairEndpoint as takeOverEndpoint } from '#lib/endpoints/repair-endpoint.ts'
import { ReplaceEndpointForm, replaceEndpoint } from '#lib/endpoints/replace-endpoint.ts'
import { RotateSecretForm, rotateSecret } from '#lib/endpoints/rotate-secret.ts'
import { setStatus as putStatus, SetStatusForm } from '#lib/endpoints/set-status.ts'

export const create = action(CreateEndpointForm, 'manage-endpoints', createEndpoint)

export const check = action(z.object({}), 'manage-endpoints', checkPublicAddress)

export const change = action(ChangeEndpointForm, 'manage-endpoints', changeEndpoint)

export const setStatus = action(SetStatusForm, 'manage-endpoints', putStatus)

export const rotate = action(RotateSecretForm, 'manage-endpoints', rotateSecret)

export const takeOver = action(TakeOverForm, 'manage-endpoints', takeOverEndpoint)

export const remove = action(DeleteEndpointForm, 'manage-endpoints', deleteEndpoint)

export const replace = action(ReplaceEndpointForm, 'manage-endpoints', replaceEndpoint)

export const finish = action(FinishReplacementForm, 'manage-endpoints', finishReplacement)

export const confirm = action(ConfirmSecretForm, 'manage-endpoints', confirmSecret)
