// The certificate of the server: a given one, or one of an authority of its own, which is kept.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { machineNow, SECOND } from '../clock.ts';
import { makeFolder } from '../db/open.ts';
import { createFile, replaceFile } from '../db/write-file.ts';
import type { Config } from '../settings.ts';
import { createAuthority, issueCertificate, isUsable, type KeyPair } from './certificates.ts';
import { isSecure, tlsFolder } from './settings.ts';

/**
 * The key and the certificate of the server; undefined without TLS. All processes that share a
 * folder get the same ones.
 * @throws Error with the next step
 */
export function serverIdentity(config: Config): KeyPair | undefined {
  if (!isSecure(config)) return undefined;
  if (config.tlsCert !== undefined) return givenIdentity(config.tlsCert, config);
  const folder = tlsFolder(config);
  try {
    makeFolder(folder);
    return ownIdentity(folder, namesOf(config));
  } catch (error) {
    throw new Error(
      `The certificate of --tls cannot be kept in ${folder} (${(error as Error).message}). Choose ` +
        'another folder with --database sqlite:<folder>, or give a certificate with --tls-cert.',
      { cause: error },
    );
  }
}

/**
 * A certificate of an authority in a folder. Both are made unless they exist. Of several processes
 * that make the first certificate at the same time, the first wins.
 */
function ownIdentity(folder: string, names: readonly string[]): KeyPair {
  const authority = ownAuthority(folder);
  const file = join(folder, 'server.pem');
  const exists = existsSync(file);
  const kept = exists ? usableIn(file, authority, names) : undefined;
  if (kept) return kept;
  const pair = issueCertificate(authority, names);
  if (exists) replaceFile(file, textOf(pair), 0o600);
  else createFile(file, textOf(pair), 0o600);
  return usableIn(file, authority, names) ?? pair;
}

/** The certificate in a file; undefined if it is not of the authority, or not for the names. */
function usableIn(file: string, authority: KeyPair, names: readonly string[]): KeyPair | undefined {
  const kept = pairIn(readFileSync(file, 'utf8'));
  return kept && isUsable(kept, authority, names) ? kept : undefined;
}

/**
 * The authority of a folder. Of several processes that make one at the same time, the first wins:
 * key and certificate are in a single file, which no process replaces.
 */
function ownAuthority(folder: string): KeyPair {
  const file = join(folder, 'ca-key.pem');
  if (!existsSync(file)) createFile(file, textOf(createAuthority(hostname())), 0o600);
  const authority = pairIn(readFileSync(file, 'utf8'));
  if (!authority) throw new Error(`${file} does not contain a key and a certificate: remove it`);
  const shown = join(folder, 'ca.pem');
  if (!existsSync(shown) || readFileSync(shown, 'utf8') !== authority.cert)
    replaceFile(shown, authority.cert, 0o644);
  return authority;
}

const textOf = ({ key, cert }: KeyPair): string => key + cert;

/** The key and the certificate in a file; undefined if it does not contain both. */
function pairIn(text: string): KeyPair | undefined {
  const at = text.indexOf('-----BEGIN CERTIFICATE-----');
  return at > 0 ? { key: text.slice(0, at), cert: text.slice(at) } : undefined;
}

/** The addresses that listen on all addresses of the machine. */
const wildcards: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** The names by which clients reach the server. */
function namesOf({ host, listen, tlsNames }: Config): string[] {
  const hosts = [host, ...listen.map((one) => one.host ?? host)];
  const addresses = hosts.some((one) => wildcards.has(one))
    ? Object.values(networkInterfaces()).flatMap((list = []) => list.map(({ address }) => address))
    : [];
  const names = ['localhost', '127.0.0.1', '::1', hostname(), ...hosts, ...addresses, ...tlsNames];
  return [...new Set(names)].filter((name) => !wildcards.has(name));
}

/** @throws Error with the next step if the files do not contain a certificate and its key */
function givenIdentity(certFile: string, { tlsKey, tlsCa }: Config): KeyPair {
  if (tlsKey === undefined)
    throw new Error(`--tls-cert ${certFile}: its private key is missing. Give it with --tls-key.`);
  const cert = readPem(certFile, '--tls-cert');
  const key = readPem(tlsKey, '--tls-key');
  const certificate = parsed(
    () => new X509Certificate(cert),
    '--tls-cert',
    certFile,
    'certificate',
  );
  const privateKey = parsed(() => createPrivateKey(key), '--tls-key', tlsKey, 'private key');
  if (!certificate.checkPrivateKey(privateKey))
    throw new Error(`${tlsKey} is not the private key of ${certFile}. Give both of one server.`);
  if (Date.parse(certificate.validTo) * (SECOND / 1000) < machineNow())
    throw new Error(
      `The certificate in ${certFile} has expired on ${certificate.validTo}. Renew it, or let ` +
        '--tls make one.',
    );
  if (tlsCa !== undefined)
    parsed(() => new X509Certificate(readPem(tlsCa, '--tls-ca')), '--tls-ca', tlsCa, 'certificate');
  return { key, cert };
}

function readPem(file: string, flag: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${flag} ${file} cannot be read: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

function parsed<T>(parse: () => T, flag: string, file: string, kind: string): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof Error && error.message.startsWith(flag)) throw error;
    throw new Error(`${flag} ${file}: the file does not contain a ${kind} in PEM.`, {
      cause: error,
    });
  }
}
