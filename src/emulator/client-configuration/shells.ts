// Writes environment variables as commands of a shell, which first remove those for another cloud.
import { isLoopbackHost } from '../../kernel/http/loopback.ts';
import type { ClientEnvironment } from './model.ts';

/** The shells that the commands can be written for; `sh` is also for bash, zsh and dash. */
export const shells = ['sh', 'fish', 'powershell'] as const;

export type Shell = (typeof shells)[number];

/** The usual shell of an operating system. */
export const usualShell = (platform: NodeJS.Platform): Shell =>
  platform === 'win32' ? 'powershell' : 'sh';

/** How a shell says it. */
interface Dialect {
  /** Removes all variables of OpenStack clients. */
  readonly clear: string;
  readonly set: (name: string, value: string) => string;
  /** Adds a host to a list of hosts that are reached without a proxy, unless it has it. */
  readonly add: (name: string, host: string) => string;
  /** Shows a text. */
  readonly say: (text: string) => string;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const fishQuoted = (text: string): string => `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
const powershellQuoted = (text: string): string =>
  `'${text.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`;

const dialects: Readonly<Record<Shell, Dialect>> = {
  sh: {
    // The first name is there because zsh refuses an `unset` without any.
    clear: `unset OS_CLOUD $(env | sed -n 's/^\\(OS_[A-Za-z0-9_]*\\)=.*/\\1/p')`,
    set: (name, value) => `export ${name}=${quoted(value)}`,
    add: (name, host) =>
      `case ",\${${name}-}," in *,${host},*) ;; ` +
      `*) export ${name}="\${${name}:+\${${name}},}${host}" ;; esac`,
    say: (text) => `echo ${quoted(text)} >&2`,
  },
  fish: {
    clear: "for name in (set --names --export | string match 'OS_*'); set --erase $name; end",
    set: (name, value) => `set --global --export ${name} ${fishQuoted(value)}`,
    add: (name, host) =>
      `string match --quiet -- '*,${host},*' ",$${name},"; or ` +
      `set --global --export ${name} (string trim --chars , -- "$${name},${host}")`,
    say: (text) => `echo ${fishQuoted(text)} >&2`,
  },
  powershell: {
    clear: 'Remove-Item Env:OS_*',
    set: (name, value) => `$env:${name} = ${powershellQuoted(value)}`,
    add: (name, host) =>
      `if (",$env:${name}," -notlike '*,${host},*') ` +
      `{ $env:${name} = "$env:${name},${host}".Trim(',') }`,
    say: (text) => `Write-Warning ${powershellQuoted(text)}`,
  },
};

/**
 * The commands of a shell that prepare it for clients of this cloud. A client on this machine must
 * not ask a proxy for an address of this machine, which means another one there.
 */
export function shellCommands(
  shell: Shell,
  origin: string,
  { variables, missing }: ClientEnvironment,
): string {
  const { clear, set, add, say } = dialects[shell];
  const lines = [
    clear,
    ...Object.entries(variables).map(([name, value]) => set(name, value)),
    ...directHosts(origin).flatMap((host) => proxyLists(shell).map((name) => add(name, host))),
    ...(missing === undefined ? [] : [say(missing)]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** Variables of Windows ignore case. */
const proxyLists = (shell: Shell): readonly string[] =>
  shell === 'powershell' ? ['NO_PROXY'] : ['no_proxy', 'NO_PROXY'];

/** The host to reach without a proxy, if it is this machine. */
function directHosts(origin: string): string[] {
  const host = origin.slice(origin.indexOf('://') + '://'.length);
  return isLoopbackHost(host) ? [host.replace(/:\d+$/, '').replaceAll(/[[\]]/g, '')] : [];
}

/** The variables with which a program reaches the host of a cloud on this machine directly. */
export function withoutProxy(
  origin: string,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const [host] = directHosts(origin);
  if (host === undefined) return {};
  return Object.fromEntries(
    ['no_proxy', 'NO_PROXY'].map((name) => {
      const hosts = (env[name] ?? '').split(',').filter((one) => one && one !== host);
      return [name, [...hosts, host].join(',')];
    }),
  );
}
