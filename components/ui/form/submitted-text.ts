import type { SubmitEvent } from 'react'

/** What stands in one field of a form that is being submitted, which stays on the page. */
export function submittedText(event: SubmitEvent<HTMLFormElement>, name: string): string {
  event.preventDefault()
  const value = new FormData(event.currentTarget).get(name)
  return typeof value === 'string' ? value.trim() : ''
}
