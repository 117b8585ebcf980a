import { answerSignOut } from '#lib/identity/sessions/browser-session.ts'
import { findProviderSignOut } from '#lib/identity/single-sign-on/provider-sessions.ts'

export const POST = (request: Request) => answerSignOut(request, findProviderSignOut)
