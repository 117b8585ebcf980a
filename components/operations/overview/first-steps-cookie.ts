/** Set in a browser whose reader has put the first steps away. */
export const firstStepsCookie = 'first-steps'
