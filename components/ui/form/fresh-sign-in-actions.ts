'use client'

import { createContext } from 'react'
import type { Freshness } from '#lib/identity/passkeys/confirm-with-passkey.ts'
import type { SignatureOptions } from '#lib/identity/passkeys/sign-in-with-passkey.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'

/** How a page asks whether somebody has proved who they are, and has it proved by a passkey. */
export interface FreshSignInActions {
  readonly status: Action<Freshness>
  readonly begin: Action<SignatureOptions>
  readonly confirm: Action<Freshness>
}

export const FreshSignIn = createContext<FreshSignInActions | null>(null)

/** Around the pages whose forms may ask, apart from what they then ask with: most pages never do. */
export const FreshSignInProvider = FreshSignIn.Provider
