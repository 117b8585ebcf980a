import 'server-only'

/** PostgreSQL takes no NUL in a text: asks for it as the domain would have kept it. */
export const textParameter = (text: string): string => text.replaceAll('\0', '\ufffd')
