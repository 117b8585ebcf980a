import crypto from 'node:crypto'
import tls from 'node:tls'

/** A key and its certificate are both PEM. */
export interface Certified {
  readonly key: string
  readonly cert: string
}

/** The authority exists for one test, and nobody trusts it by default. */
export function makeAuthority() {
  const keys = crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = nameOf(`Test authority ${crypto.randomUUID()}`)
  const sign = (subject: Buffer, publicKey: crypto.KeyObject, until: Date, extension: Buffer) =>
    certificate({ issuer: name, subject, publicKey, until, extension, signer: keys.privateKey })
  return {
    cert: sign(name, keys.publicKey, inADay(), mayCertify),
    /** The certificate is for this host name and valid until the given time. */
    certify(host: string, until = inADay()): Certified {
      const own = crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' })
      return {
        key: own.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        cert: sign(nameOf(host), own.publicKey, until, forHost(host)),
      }
    },
  }
}

/** This process trusts the authority from now on, like those in `NODE_EXTRA_CA_CERTS` from its start. */
export function trustedAuthority() {
  const authority = makeAuthority()
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), authority.cert])
  return authority
}

const inADay = () => new Date(Date.now() + 86_400_000)

/** The certificate is X.509 version 3 (RFC 5280), signed by ECDSA with SHA-256. */
function certificate(given: {
  readonly issuer: Buffer
  readonly subject: Buffer
  readonly publicKey: crypto.KeyObject
  readonly until: Date
  readonly extension: Buffer
  readonly signer: crypto.KeyObject
}): string {
  const { issuer, subject, publicKey, until, extension, signer } = given
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), crypto.randomBytes(8)])),
    ecdsaWithSha256,
    issuer,
    sequence(time(new Date(Math.min(until.getTime(), Date.now()) - 2 * 86_400_000)), time(until)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extension)),
  )
  const signature = crypto.sign('sha256', body, signer)
  const whole = sequence(body, ecdsaWithSha256, der(0x03, Buffer.concat([Buffer.from([0]), signature])))
  return `-----BEGIN CERTIFICATE-----\n${whole.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`
}

/** The encoding is tag, length, content. */
function der(tag: number, content: Buffer): Buffer {
  const size = content.length
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}

const sequence = (...parts: readonly Buffer[]) => der(0x30, Buffer.concat(parts))

const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))

const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'))

const nameOf = (common: string) =>
  sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(common.slice(0, 64))))))

const time = (at: Date) => der(0x18, Buffer.from(`${at.toISOString().replace(/[-:T]|\.\d+/g, '')}`))

const mayCertify = sequence(
  oid('551d13'),
  der(0x01, Buffer.from([0xff])),
  der(0x04, sequence(der(0x01, Buffer.from([0xff])))),
)

const forHost = (host: string) => sequence(oid('551d11'), der(0x04, sequence(der(0x82, Buffer.from(host)))))
