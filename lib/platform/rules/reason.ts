/** The reason for a change or a reveal has this length in characters, without spaces around it. Forms show the limits. */
export const reasonLength = { least: 3, most: 500 } as const
