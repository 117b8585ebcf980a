const ofPerson = 'of:'

/** The name tells staff in live news that anything of this person changed. It is no subject, and is not counted as one. */
export const somethingOf = (userUuid: string): string => `${ofPerson}${userUuid}`

export const isSomethingOf = (name: string): boolean => name.startsWith(ofPerson)
