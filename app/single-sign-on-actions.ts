'use server'
import { action } from '#lib/actions/action.ts'
import { BeginSingleSignOnSchema, beginSingleSignOn } from '#lib/single-sign-on/begin-single-sign-on.ts'

export const beginSingleSignOnAction = action(BeginSingleSignOnSchema, 'anyone', (_caller, form, context) =>
  beginSingleSignOn(form, context),
)
