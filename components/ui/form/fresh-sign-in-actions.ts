'use client'

import { createContext } from 'react'
import type { Freshness, SignatureOptions } from '#lib/identity/passkeys/verify-passkey.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'

/** The page asks with these whether somebody has proved who they are, and has a passkey prove it. */
export interface FreshSignInActions {
  readonly status: Action<Freshness>
  readonly begin: Action<SignatureOptions>
  readonly confirm: Action<Freshness>
}

export const FreshSignIn = createContext<FreshSignInActions | null>(null)

/**
 * The provider is around the pages whose forms may ask. The dialog itself is separate, because most pages never
 * need it.
 */
export const FreshSignInProvider = FreshSignIn.Provider
