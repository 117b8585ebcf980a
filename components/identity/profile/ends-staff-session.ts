/** What ending a session of staff does. */
export const endsStaffSession = 'That browser is signed out at once, and replays that it started stop.'
