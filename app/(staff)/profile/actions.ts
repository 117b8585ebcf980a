'use server'

import { z } from 'zod'
import { action } from '#lib/identity/actions/action.ts'
import {
  AddPasskeySchema,
  addOwnPasskey,
  beginOwnPasskey,
  RemovePasskeySchema,
  RenamePasskeySchema,
  removePasskey,
  renamePasskey,
} from '#lib/identity/passkeys/own-passkeys.ts'
import {
  beginConfirmation,
  ConfirmSchema,
  confirmWithPasskey,
  readFreshness,
} from '#lib/identity/passkeys/verify-passkey.ts'

export const readFreshnessAction = action(z.object({}), 'signed-in', readFreshness)

export const beginConfirmationAction = action(z.object({}), 'signed-in', beginConfirmation)

export const confirmWithPasskeyAction = action(ConfirmSchema, 'signed-in', confirmWithPasskey)

export const beginOwnPasskeyAction = action(z.object({}), 'signed-in', beginOwnPasskey)

export const addOwnPasskeyAction = action(AddPasskeySchema, 'signed-in', addOwnPasskey)

export const renamePasskeyAction = action(RenamePasskeySchema, 'signed-in', renamePasskey)

export const removePasskeyAction = action(RemovePasskeySchema, 'signed-in', removePasskey)
