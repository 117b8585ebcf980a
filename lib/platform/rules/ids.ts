/** The pattern is for one uuid of any version in lower case. */
export const uuidPattern = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

const anyCase = new RegExp(`^${uuidPattern}$`, 'i')
const lowerCase = new RegExp(`^${uuidPattern}$`)

export const isUuid = (text: string): boolean => anyCase.test(text)

/** This program writes uuids in lower case. A cursor or a stored id has no other form. */
export const isLowerCaseUuid = (text: string): boolean => lowerCase.test(text)
