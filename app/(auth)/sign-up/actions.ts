'use server'
import { action } from '#lib/auth/action.ts'
import { signUp as openAccount, SignUpForm } from '#lib/sign-in/sign-up.ts'

export const signUp = action(SignUpForm, 'anyone', (_caller, form, context) => openAccount(form, context))
