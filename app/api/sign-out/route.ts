import { answerSignOut } from '#lib/auth/answer-sign-out.ts'
import { findProviderSignOut } from '#lib/single-sign-on/provider-session.ts'

export const POST = (request: Request) => answerSignOut(request, findProviderSignOut)
