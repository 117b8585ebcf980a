/** Nothing answers so: whoever must sign in is led there. Next's own would be part of every page. */
export { default } from './not-found.tsx'
