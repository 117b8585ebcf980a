import 'server-only'
import type { Caller } from '#lib/auth/caller.ts'

export interface Profile {
  readonly userUuid: string
  readonly email: string | null
  readonly targetAddress: string | null
  readonly firstName: string | null
  readonly lastName: string | null
  readonly country: string | null
  /** The service's own word, such as `FULL_USER`; an open set. */
  readonly status: string | null
}

export type ProfileAnswer =
  | { readonly kind: 'profile'; readonly profile: Profile }
  /** The service session has ended: show what the directory knows, and ask to sign in again in place. */
  | { readonly kind: 'sign-in-again'; readonly profile: Profile | null }
  | {
      readonly kind: 'unavailable'
      readonly profile: Profile | null
      readonly title: string
      readonly next: string
    }

/** The caller's own profile, from the service. */
export async function getProfile(_caller: Caller): Promise<ProfileAnswer> {
  return { kind: 'sign-in-again', profile: null }
}
