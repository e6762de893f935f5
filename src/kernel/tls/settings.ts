// The options for TLS, and what follows from them.
import { join, resolve } from 'node:path';
import { flagOption, listOf, option, pathOption, type OptionValues } from '../options.ts';
import { userStateFolder } from '../user/state-folder.ts';
import type { DatabaseUrl } from '../db/database.ts';

const group = 'TLS';

/** The options for TLS. */
export const tlsOptions = {
  tls: flagOption({
    flag: '--tls',
    group,
    help:
      'serve HTTPS, with a certificate of an authority that is made at the first start and kept ' +
      'in the folder with the state',
  }),
  tlsNames: option<readonly string[]>({
    flag: '--tls-names <names>',
    group,
    help:
      'further host names and IP addresses of that certificate, comma-separated (repeatable); ' +
      'it has those of this machine and of --host',
    default: [],
    parse: (text, previous = []) => [...previous, ...listOf(text)],
  }),
  tlsCert: pathOption({
    flag: '--tls-cert <file>',
    group,
    help: 'serve HTTPS with this certificate, in PEM, with those of its issuers after it',
  }),
  tlsKey: pathOption({
    flag: '--tls-key <file>',
    group,
    help: 'private key of --tls-cert, in PEM',
  }),
  tlsCa: pathOption({
    flag: '--tls-ca <file>',
    group,
    help: 'authority of --tls-cert, in PEM, for clients that do not know it (OS_CACERT)',
  }),
};

/** What the options for TLS set, and where the state is. */
export interface TlsConfig extends OptionValues<typeof tlsOptions> {
  readonly database: DatabaseUrl;
}

/** Whether the ports serve HTTPS. */
export const isSecure = ({ tls, tlsCert }: Pick<TlsConfig, 'tls' | 'tlsCert'>): boolean =>
  tls || tlsCert !== undefined;

/**
 * The file with the authority that clients have to trust. Undefined without TLS, and for a
 * certificate whose authority clients know anyway.
 */
export function authorityFile(config: TlsConfig): string | undefined {
  const { tlsCert, tlsCa } = config;
  if (!isSecure(config)) return undefined;
  if (tlsCert === undefined) return join(tlsFolder(config), 'ca.pem');
  return tlsCa === undefined ? undefined : resolve(tlsCa);
}

/** The folder of the authority: in that with the state, or else in the user's folder. */
export const tlsFolder = ({ database }: Pick<TlsConfig, 'database'>): string =>
  join(database.kind === 'sqlite' ? resolve(database.folder) : userStateFolder(), 'tls');
