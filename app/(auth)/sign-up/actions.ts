'use server'
import { action } from '#lib/actions/action.ts'
import { SignUpSchema, signUp } from '#lib/sign-in/sign-up.ts'

export const signUpAction = action(SignUpSchema, 'anyone', (_caller, form, context) => signUp(form, context))
