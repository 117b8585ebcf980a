/** A sentence or a row of the interface document. */
export type Rule = { id: string; section: string; says: string }

/** What the document says, §2 to §8 whole, line by line in its order, in our own short words. */
const sentences = {
  '4.1-login-wallet-200': 'Message and signature answer 200 with service_session_id and user_uuid',
  '4.1-login-code-204': 'user_uuid alone answers 204 without a body',
  '5.2-nonce-never-reused': 'A nonce signs in once',
}

export const contract: readonly Rule[] = Object.entries(sentences).map(([id, says]) => ({
  id,
  section: id.slice(0, id.indexOf('-')),
  says,
}))
