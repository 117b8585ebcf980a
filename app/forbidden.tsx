/** Outside the frame of staff, which says it itself: a page that somebody may not see is none for them. Next's own would be part of every page. */
export { default } from './not-found.tsx'
