import crypto from 'node:crypto'

/** An authenticator makes one of these mistakes, or none by default. */
export interface Misbehaviour {
  readonly origin?: string
  readonly rpId?: string
  /** When false, the device did not verify the person. */
  readonly verified?: boolean
  /** The authenticator sends this counter. */
  readonly counter?: number
  /** The authenticator signs with another key than the registered one. */
  readonly otherKey?: boolean
  /** The value sets two flags: the passkey may be on several devices (BE), and it is (BS). */
  readonly kept?: 'here' | 'to be copied' | 'copied'
}

const verifiedFlag = 0x04
const presentFlag = 0x01
const keyIncludedFlag = 0x40
const keptFlags = { here: 0, 'to be copied': 0x08, copied: 0x18 }

/** The authenticator is software with a real key and real signatures, for tests (WebAuthn level 3, ES256). */
export function openAuthenticator(origin = 'http://localhost:3000') {
  const { publicKey, privateKey } = crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const other = crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const credentialId = crypto.randomBytes(32)
  let counter = 0

  const clientData = (type: string, challenge: string, wrong: Misbehaviour) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: wrong.origin ?? origin, crossOrigin: false }))

  const authenticatorData = (wrong: Misbehaviour, key?: Buffer) => {
    const flags =
      presentFlag |
      (wrong.verified === false ? 0 : verifiedFlag) |
      keptFlags[wrong.kept ?? 'here'] |
      (key === undefined ? 0 : keyIncludedFlag)
    const count = Buffer.alloc(4)
    count.writeUInt32BE(wrong.counter ?? counter)
    const rpId = wrong.rpId ?? new URL(origin).hostname
    const head = [crypto.createHash('sha256').update(rpId).digest(), Buffer.from([flags]), count]
    if (key === undefined) return Buffer.concat(head)
    const length = Buffer.alloc(2)
    length.writeUInt16BE(credentialId.length)
    return Buffer.concat([...head, Buffer.alloc(16), length, credentialId, key])
  }

  const shared = {
    id: credentialId.toString('base64url'),
    rawId: credentialId.toString('base64url'),
    type: 'public-key',
    clientExtensionResults: {},
  }

  return {
    /** The browser answers this text after a passkey was made, as a form sends it. */
    register(challenge: string, wrong: Misbehaviour = {}): string {
      const authData = authenticatorData(wrong, coseKey(publicKey))
      const attestationObject = Buffer.concat([
        Buffer.from([0xa3]),
        text('fmt'),
        text('none'),
        text('attStmt'),
        Buffer.from([0xa0]),
        text('authData'),
        bytes(authData),
      ])
      return JSON.stringify({
        ...shared,
        response: {
          clientDataJSON: clientData('webauthn.create', challenge, wrong).toString('base64url'),
          attestationObject: attestationObject.toString('base64url'),
          transports: ['internal'],
        },
      })
    },
    /** The browser answers this text after the passkey has signed, as a form sends it. */
    sign(challenge: string, wrong: Misbehaviour = {}): string {
      counter += 1
      const data = clientData('webauthn.get', challenge, wrong)
      const authData = authenticatorData(wrong)
      const signed = Buffer.concat([authData, crypto.createHash('sha256').update(data).digest()])
      return JSON.stringify({
        ...shared,
        response: {
          clientDataJSON: data.toString('base64url'),
          authenticatorData: authData.toString('base64url'),
          signature: crypto.sign('sha256', signed, wrong.otherKey ? other : privateKey).toString('base64url'),
        },
      })
    },
  }
}

export type Authenticator = ReturnType<typeof openAuthenticator>

/** The format is COSE_Key of an ES256 key (RFC 9053): kty 2, alg -7, crv 1, x, y. */
function coseKey(key: crypto.KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  const coordinate = (text: string) => bytes(Buffer.from(text, 'base64url'))
  return Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
    coordinate(x),
    Buffer.from([0x22]),
    coordinate(y),
  ])
}

/** The format is CBOR (RFC 8949), for a short text and for bytes of at most 65,535. */
const text = (word: string) => Buffer.concat([Buffer.from([0x60 + word.length]), Buffer.from(word)])

function bytes(content: Buffer): Buffer {
  const { length } = content
  const head = length < 256 ? [0x58, length] : [0x59, length >> 8, length & 255]
  return Buffer.concat([Buffer.from(head), content])
}
