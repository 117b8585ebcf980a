'use server'

import { z } from 'zod'
import { action } from '#lib/identity/actions/action.ts'
import { beginPasskeySignIn } from '#lib/identity/passkeys/verify-passkey.ts'
import {
  EndOtherSessionsSchema,
  EndOwnSessionSchema,
  endOtherSessions,
  endOwnSession,
} from '#lib/identity/sessions/person-sessions.ts'
import {
  BeginSingleSignOnSchema,
  beginSingleSignOn,
} from '#lib/identity/single-sign-on/begin-single-sign-on.ts'

/** The sign-in page uses this action, and so does the lock over a staff page. */
export const beginPasskeySignInAction = action(z.object({}), 'anyone', (_caller, _form, context) =>
  beginPasskeySignIn(context),
)

export const beginSingleSignOnAction = action(BeginSingleSignOnSchema, 'anyone', (_caller, form, context) =>
  beginSingleSignOn(form, context),
)

export const endOwnSessionAction = action(EndOwnSessionSchema, 'signed-in', endOwnSession)

export const endOtherSessionsAction = action(EndOtherSessionsSchema, 'signed-in', endOtherSessions)
