/** The source of a pattern for one uuid in lower case, of any version. */
export const uuidPattern = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

const anyCase = new RegExp(`^${uuidPattern}$`, 'i')
const lowerCase = new RegExp(`^${uuidPattern}$`)

export const isUuid = (text: string): boolean => anyCase.test(text)

/** As this program writes uuids: of a cursor or of a stored id, no other spelling is one. */
export const isLowerCaseUuid = (text: string): boolean => lowerCase.test(text)
