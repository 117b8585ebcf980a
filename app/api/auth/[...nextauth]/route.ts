export { answerAuthRequest as GET, answerAuthRequest as POST } from '#lib/identity/next-auth/route.ts'
