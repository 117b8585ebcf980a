/**
 * Nothing answers with this page: a person who must sign in is led to the sign-in. Next's own page would be part of
 * every page.
 */
export { default } from './not-found.tsx'
