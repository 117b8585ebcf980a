export {
  answerSessionState as GET,
  answerSessionUse as POST,
} from '#lib/identity/sessions/browser-session.ts'
