export { answerSessionState as GET, answerSessionUse as POST } from '#lib/auth/answer-session.ts'
