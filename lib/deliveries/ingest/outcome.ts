import 'server-only'
import type { RefusalReason } from '../rules/refusal-reasons.ts'

/** What became of a request to a receiver. Its `kind` decides the answer (`answer.ts`). */
export type Outcome = { readonly kind: 'stored'; readonly deliveryId: string } | Rejection

/** The delivery is not surely on disk. Each step of `receive.ts` answers what the next one needs, or a rejection. */
export type Rejection =
  /** `cause`: what the database, or the way to it, threw; absent when it was only slow. */
  | { readonly kind: 'database' | 'too-late'; readonly cause?: unknown }
  /** `keyId`: the key under which the secret is kept, which cannot be used here. */
  | { readonly kind: 'secret-not-checkable'; readonly keyId: string }
  | { readonly kind: Exclude<RefusalReason, 'database' | 'too-late' | 'secret-not-checkable'> }
