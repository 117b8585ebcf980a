/** The thirteen event types an endpoint can subscribe to, in the order of §2.3. */
export const eventTypes = [
  'fiatToCrypto',
  'cryptoToFiat',
  'KYC',
  'KYB',
  'AML',
  'unblockBankAccount',
  'entityStatusUpdate',
  'walletCreated',
  'linkedBankAccountProfile',
  'linkBankAccount',
  'duplicateUser',
  'senderNameMismatch',
  'otpNotification',
] as const

export type EventType = (typeof eventTypes)[number]

const known: ReadonlySet<string | null> = new Set(eventTypes)

export const isEventType = (type: string | null): type is EventType => known.has(type)

/** The types that speak of companies alone. ASSUMED: an entity is a company. §6.7 */
export const companyTypes = ['KYB', 'entityStatusUpdate'] as const satisfies readonly EventType[]

export const isCompanyType = (type: string | null): boolean => companyTypes.some((each) => each === type)

/** In a rule of retention: whatever is of none of the types, such as a type of tomorrow, or a body that cannot be read. */
export const otherEvents = 'otherEvents'

/** Types whose `data.uuid` names the bank account or profile that they are about. §6.3 to §6.5 */
export const accountTypes = [
  'unblockBankAccount',
  'linkedBankAccountProfile',
  'linkBankAccount',
] as const satisfies readonly EventType[]

export const bankAccountTypes: ReadonlySet<string> = new Set(accountTypes)
