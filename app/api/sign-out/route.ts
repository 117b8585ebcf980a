import { answerSignOut } from '#lib/identity/sessions/answer-sign-out.ts'
import { findProviderSignOut } from '#lib/identity/single-sign-on/provider-session.ts'

export const POST = (request: Request) => answerSignOut(request, findProviderSignOut)
