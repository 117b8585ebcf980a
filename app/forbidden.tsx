/**
 * A page outside the staff shell that a person may not see does not exist for them; the staff shell has its own
 * `forbidden.tsx`. Next's own page would be part of every page.
 */
export { default } from './not-found.tsx'
