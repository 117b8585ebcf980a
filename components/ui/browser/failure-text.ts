import { failureMessage } from './fetch-json.ts'

/** What a failure means for the person, and what to do, in one line. */
export function failureText(error: unknown): string {
  const { title, next } = failureMessage(error)
  return `${title.replace(/\.$/, '')}. ${next}`
}
