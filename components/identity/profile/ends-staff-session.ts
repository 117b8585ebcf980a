/** Staff read this before they end a session. */
export const endsStaffSession = 'That browser is signed out at once, and replays that it started stop.'
