/**
 * Every status that a call can be refused with: the name of that answer in the document, and when it is given. 500 is
 * not among them, it would be a defect.
 */
export const refusedAnswers = {
  400: [
    'BadRequest',
    'Something in the request is missing, malformed or not accepted (§7). ASSUMED: beyond the events of an endpoint, every other fault of a request too.',
  ],
  401: [
    'Unauthorized',
    'The session is invalid or expired, the signature or its message does not verify, the one-time password is wrong or expired (§7). ASSUMED: the API key is missing or wrong. A control call: no namespace has the key that it carries.',
  ],
  403: ['Forbidden', 'Sent by a page of another site.'],
  404: ['NotFound', 'The user does not exist (§7). ASSUMED: so for any other unknown id, path and method.'],
  408: ['RequestTimeout', 'ASSUMED: the request took too long to arrive. The connection is closed.'],
  409: ['Conflict', 'ASSUMED: what is to be made, or the state that is asked for, exists already.'],
  413: ['PayloadTooLarge', 'ASSUMED: the body is larger than 1 MiB.'],
  417: ['ExpectationFailed', 'ASSUMED: the header Expect asks for something else than 100-continue.'],
  421: ['MisdirectedRequest', 'Sent to another name than localhost, 127.0.0.1 or [::1] with this port.'],
  429: ['TooManyRequests', 'Too many one-time passwords were asked for (§7).'],
  431: ['HeadersTooLarge', 'ASSUMED: the address and the headers are together larger than 16 KiB.'],
  503: ['NotReady', 'The sandbox is still starting.'],
} as const

export type RefusedStatus = keyof typeof refusedAnswers

/** Answers of this status say in Retry-After how long to wait; a 429 only where that is `on`, see the options. */
export const saysRetryAfter = (status: number, on: boolean) => status === 503 || (status === 429 && on)
