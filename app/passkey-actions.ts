'use server'
import { z } from 'zod'
import { action } from '#lib/identity/actions/action.ts'
import { beginPasskeySignIn } from '#lib/identity/passkeys/sign-in-with-passkey.ts'

/** For the sign-in page, and for the lock over a page of staff. */
export const beginPasskeySignInAction = action(z.object({}), 'anyone', (_caller, _form, context) =>
  beginPasskeySignIn(context),
)
