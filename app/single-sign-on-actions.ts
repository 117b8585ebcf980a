'use server'
import { action } from '#lib/identity/actions/action.ts'
import {
  BeginSingleSignOnSchema,
  beginSingleSignOn,
} from '#lib/identity/single-sign-on/begin-single-sign-on.ts'

export const beginSingleSignOnAction = action(BeginSingleSignOnSchema, 'anyone', (_caller, form, context) =>
  beginSingleSignOn(form, context),
)
