/** The cookie is set in a browser whose reader has closed the first steps. */
export const firstStepsCookie = 'first-steps'
