/** The options of the sandbox that change what the model expects. */
export interface Settings {
  readonly codeMinutes: number
  readonly codesPerWindow: number
  readonly codeWindowMinutes: number
  readonly codeGuesses: number
  readonly olderCodes: 'dead' | 'valid'
  readonly retryAfter: 'on' | 'off'
  readonly sessionMinutes: number
  readonly longestMessageMinutes: number
  readonly successStatuses: '2xx' | '200'
  readonly autoDisableAfter: number
}

/** Both values of every option; few codes, guesses and losses, so that short sequences reach the limits. */
export const variants: readonly [Settings, Settings] = [
  {
    codeMinutes: 10,
    codesPerWindow: 3,
    codeWindowMinutes: 15,
    codeGuesses: 2,
    olderCodes: 'dead',
    retryAfter: 'on',
    sessionMinutes: 60,
    longestMessageMinutes: 0,
    successStatuses: '2xx',
    autoDisableAfter: 2,
  },
  {
    codeMinutes: 30,
    codesPerWindow: 4,
    codeWindowMinutes: 5,
    codeGuesses: 3,
    olderCodes: 'valid',
    retryAfter: 'off',
    sessionMinutes: 240,
    longestMessageMinutes: 240,
    successStatuses: '200',
    autoDisableAfter: 0,
  },
]

/** The same for the sandbox that is compared with the model. */
export const variablesOf = (settings: Settings): Record<string, string> => ({
  SANDBOX_CODE_MINUTES: String(settings.codeMinutes),
  SANDBOX_CODES_PER_WINDOW: String(settings.codesPerWindow),
  SANDBOX_CODE_WINDOW_MINUTES: String(settings.codeWindowMinutes),
  SANDBOX_CODE_GUESSES: String(settings.codeGuesses),
  SANDBOX_OLDER_CODES: settings.olderCodes,
  SANDBOX_RETRY_AFTER: settings.retryAfter,
  SANDBOX_SESSION_MINUTES: String(settings.sessionMinutes),
  SANDBOX_LONGEST_MESSAGE_MINUTES: String(settings.longestMessageMinutes),
  SANDBOX_SUCCESS_STATUSES: settings.successStatuses,
  SANDBOX_AUTO_DISABLE_AFTER: String(settings.autoDisableAfter),
  SANDBOX_DELIVERY_TIMEOUT_MS: '1000',
})
