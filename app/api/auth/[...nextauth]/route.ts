export { answerAuthRequest as GET, answerAuthRequest as POST } from '#lib/auth/route.ts'
