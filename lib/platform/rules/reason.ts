/** How many characters the reason for a change or a reveal has, without the spaces around it. Forms say so beforehand. */
export const reasonLength = { least: 3, most: 500 } as const
