export {
  answerSessionState as GET,
  answerSessionUse as POST,
} from '#lib/identity/sessions/open-session.ts'
