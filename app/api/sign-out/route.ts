export { answerSignOut as POST } from '#lib/auth/answer-sign-out.ts'
