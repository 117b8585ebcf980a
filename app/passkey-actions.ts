'use server'
import { z } from 'zod'
import { action } from '#lib/identity/actions/action.ts'
import { beginPasskeySignIn } from '#lib/identity/passkeys/verify-passkey.ts'

/** The sign-in page uses this action, and so does the lock over a staff page. */
export const beginPasskeySignInAction = action(z.object({}), 'anyone', (_caller, _form, context) =>
  beginPasskeySignIn(context),
)
