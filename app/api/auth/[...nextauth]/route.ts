export { answerAuthRequest as GET, answerAuthRequest as POST } from '#lib/next-auth/route.ts'
