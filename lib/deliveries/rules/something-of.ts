const ofPerson = 'of:'

/** In live news for staff: something of this person changed, whatever it is. No subject: it is not counted as one. */
export const somethingOf = (userUuid: string): string => `${ofPerson}${userUuid}`

/** Whether a name in live news is one made by `somethingOf`. */
export const isSomethingOf = (name: string): boolean => name.startsWith(ofPerson)
