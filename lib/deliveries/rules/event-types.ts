/** An endpoint can subscribe to these thirteen event types, in the order of §2.3. */
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

/** These types concern companies alone. ASSUMED: an entity is a company. §6.7 */
export const companyTypes = ['KYB', 'entityStatusUpdate'] as const satisfies readonly EventType[]

export const isCompanyType = (type: string | null): boolean => companyTypes.some((each) => each === type)

/** A retention rule uses this name for all other events, such as unknown types and unreadable bodies. */
export const otherEvents = 'otherEvents'

/** The `data.uuid` of these types names the bank account or profile that they are about. §6.3 to §6.5 */
export const accountTypes = [
  'unblockBankAccount',
  'linkedBankAccountProfile',
  'linkBankAccount',
] as const satisfies readonly EventType[]

export const bankAccountTypes: ReadonlySet<string> = new Set(accountTypes)
