import 'server-only'
import { env } from '#lib/env.ts'

/** Whether an Origin header names a page of ours; a missing one does not. */
export const isOwnOrigin = (origin: string | null): boolean => origin === env().publicUrl.origin
