// Makes certificates: an authority that clients trust, what it issues for a server, and a key that
// signs documents.
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  generateKeyPairSync,
  sign,
  X509Certificate,
  type KeyObject,
} from 'node:crypto';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import { parseIp } from 'ip-bigint';
import { machineNow, SECOND } from '../clock.ts';
import { newBytes } from '../ids.ts';
import {
  bitString,
  contextual,
  objectId,
  octets,
  pemOf,
  sequence,
  set,
  tagged,
  time,
  truth,
  unsigned,
  utf8,
  integer,
  nothing,
} from './der.ts';

/** A private key and its certificate, in PEM. */
export interface KeyPair {
  readonly key: string;
  readonly cert: string;
}

const DAY = 86_400 * SECOND;
const authorityDays = 3650;
/** Clients such as Safari refuse a server's certificate that is valid for longer. */
const serverDays = 397;

/** The algorithm of signatures, with SHA-256: ECDSA, or RSA for a key of that type. */
const algorithmOf = ({ asymmetricKeyType: type }: KeyObject): Buffer =>
  type === 'rsa'
    ? sequence(objectId('1.2.840.113549.1.1.11'), nothing)
    : sequence(objectId('1.2.840.10045.4.3.2'));

/** Makes an authority. Its name is unique, so that clients can tell two of them apart. */
export function createAuthority(machine: string): KeyPair {
  const { publicKey, privateKey } = newKeys();
  const name = nameOf(`Cumulet on ${machine} (${newBytes(4).toString('hex')})`);
  const cert = certificateOf({
    subject: name,
    publicKey,
    issuer: { name, publicKey, privateKey },
    days: authorityDays,
    extensions: [
      extension('2.5.29.19', sequence(truth), isCritical), // basicConstraints: an authority
      extension('2.5.29.15', bits(1, 0x06), isCritical), // keyUsage: signs certificates
    ],
  });
  return { key: pemOfKey(privateKey), cert };
}

/** Issues a certificate for a server with these host names and IP addresses. */
export function issueCertificate(authority: KeyPair, names: readonly string[]): KeyPair {
  const { publicKey, privateKey } = newKeys();
  const { subject } = new X509Certificate(authority.cert);
  const cert = certificateOf({
    subject: nameOf('Cumulet'),
    publicKey,
    issuer: {
      name: nameOf(subject.replace(/^CN=/, '')),
      publicKey: createPublicKey(authority.cert),
      privateKey: createPrivateKey(authority.key),
    },
    days: serverDays,
    extensions: [
      extension('2.5.29.19', sequence(), isCritical), // basicConstraints: no authority
      extension('2.5.29.15', bits(7, 0x80), isCritical), // keyUsage: digital signature
      extension('2.5.29.37', sequence(objectId('1.3.6.1.5.5.7.3.1'))), // for servers
      extension('2.5.29.17', sequence(...names.map(alternativeName))),
    ],
  });
  return { key: pemOfKey(privateKey), cert };
}

/** Makes an RSA key that signs documents, with a certificate that it has signed itself. */
export async function createSigningKey(title: string): Promise<KeyPair> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
  });
  const name = nameOf(title);
  const cert = certificateOf({
    subject: name,
    publicKey,
    issuer: { name, publicKey, privateKey },
    days: authorityDays,
    extensions: [extension('2.5.29.15', bits(7, 0x80), isCritical)], // keyUsage: signatures
  });
  return { key: pemOfKey(privateKey), cert };
}

/** Whether a certificate of this authority is for all these names, and for another month. */
export function isUsable({ cert }: KeyPair, authority: KeyPair, names: readonly string[]): boolean {
  const certificate = new X509Certificate(cert);
  const isFor = (name: string): boolean =>
    (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined;
  return (
    certificate.verify(createPublicKey(authority.cert)) &&
    Date.parse(certificate.validTo) * (SECOND / 1000) > machineNow() + 30 * DAY &&
    names.every(isFor)
  );
}

const newKeys = (): { publicKey: KeyObject; privateKey: KeyObject } =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' });

const pemOfKey = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }) as string;

/** A distinguished name that consists of a common name. */
const nameOf = (text: string): Buffer => sequence(set(sequence(objectId('2.5.4.3'), utf8(text))));

interface Content {
  readonly subject: Buffer;
  readonly publicKey: KeyObject;
  readonly issuer: { name: Buffer; publicKey: KeyObject; privateKey: KeyObject };
  readonly days: number;
  readonly extensions: readonly Buffer[];
}

function certificateOf({ subject, publicKey, issuer, days, extensions }: Content): string {
  const now = machineNow();
  const algorithm = algorithmOf(issuer.privateKey);
  const body = sequence(
    contextual(0, integer(2)),
    unsigned(Buffer.concat([Buffer.of(0x40), newBytes(15)])),
    algorithm,
    issuer.name,
    // The clock of a client may be a little slow.
    sequence(time(now - DAY), time(now - DAY + days * DAY)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    contextual(
      3,
      sequence(
        ...extensions,
        extension('2.5.29.14', octets(keyId(publicKey))),
        extension('2.5.29.35', sequence(tagged(0x80, keyId(issuer.publicKey)))),
      ),
    ),
  );
  return pemOf(sequence(body, algorithm, bitString(sign('sha256', body, issuer.privateKey))));
}

const isCritical = true;

const extension = (id: string, value: Buffer, critical = false): Buffer =>
  sequence(objectId(id), ...(critical ? [truth] : []), octets(value));

/** A list of bits in a byte, with the number of bits at its end that are not used. */
const bits = (unused: number, byte: number): Buffer => tagged(3, Buffer.of(unused, byte));

/** An id for a public key, by which clients find the certificate of an issuer. */
const keyId = (key: KeyObject): Buffer =>
  createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest();

/** A host name (dNSName) or IP address as a name of the certificate. */
function alternativeName(name: string): Buffer {
  const version = isIP(name);
  if (!version) return tagged(0x82, Buffer.from(name));
  const digits = parseIp(name).number.toString(16);
  return tagged(0x87, Buffer.from(digits.padStart(version === 4 ? 8 : 32, '0'), 'hex'));
}
