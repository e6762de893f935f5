// How to start another program, and which signals to pass on to it, on each operating system.
import { statSync } from 'node:fs';
import { win32 } from 'node:path';

/** What is to be spawned. */
export interface ChildCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** Whether Windows gets the arguments without further quotes. */
  readonly windowsVerbatimArguments?: boolean;
}

/** The machine on which a program is started. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isFile: (path: string) => boolean;
}

const thisMachine: Machine = {
  platform: process.platform,
  env: process.env,
  isFile: (path) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false,
};

/**
 * The program for the words of a command. Windows itself only finds programs that end with .exe:
 * npm, npx and the commands of packages end with .cmd, and need its command interpreter.
 * @throws Error with the next step for an argument that such a program cannot get
 */
export function childCommand(
  [file = '', ...args]: readonly string[],
  machine = thisMachine,
): ChildCommand {
  if (machine.platform !== 'win32') return { file, args };
  const found = findOnWindows(file, machine) ?? file;
  if (!/\.(?:cmd|bat)$/i.test(found)) return { file: found, args };
  const words = [found, ...args].map(quotedForBatch).join(' ');
  return {
    file: valueOf(machine.env, 'ComSpec') ?? 'cmd.exe',
    args: ['/e:ON', '/v:OFF', '/d', '/s', '/c', `"${words}"`],
    windowsVerbatimArguments: true,
  };
}

/** The file of a program, as the command interpreter of Windows looks for it in PATH. */
function findOnWindows(file: string, { env, isFile }: Machine): string | undefined {
  const extensions = (valueOf(env, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD').split(';').filter(Boolean);
  const isComplete = extensions.some((one) => file.toLowerCase().endsWith(one.toLowerCase()));
  const names = isComplete ? [file] : extensions.map((one) => file + one);
  const folders = /[\\/:]/.test(file) ? [''] : (valueOf(env, 'PATH') ?? '').split(';');
  return folders
    .flatMap((folder) => names.map((name) => win32.join(folder.replaceAll('"', ''), name)))
    .find(isFile);
}

/** The value of a variable. Windows ignores the case of their names. */
const valueOf = (env: Machine['env'], name: string): string | undefined =>
  Object.entries(env).find(([one]) => one.toLowerCase() === name.toLowerCase())?.[1];

/**
 * An argument for a batch file. Inside quotes, the command interpreter only knows the percent sign,
 * which an empty part of %cd% keeps apart from the name that follows it.
 */
function quotedForBatch(text: string): string {
  if (/[\r\n\0]/.test(text))
    throw new Error('On Windows, an argument of a .cmd or .bat file cannot have several lines.');
  const inner = text
    .replaceAll('%', '%%cd:~,%')
    .replaceAll(/(\\*)"/g, '$1$1""')
    .replace(/\\+$/, '$&$&');
  return `"${inner}"`;
}

/**
 * Whether a signal has to be passed on to the child. A terminal sends Ctrl-C to both, and on
 * Windows a signal would kill the child without letting it clean up.
 */
export const isPassedOn = (
  signal: NodeJS.Signals,
  platform: NodeJS.Platform,
  onTerminal: boolean,
): boolean => platform !== 'win32' && !(signal === 'SIGINT' && onTerminal);
