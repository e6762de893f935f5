// Tests that every wrong start ends with what is wrong and what to do, in one or two sentences.
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommanderError, type Command } from 'commander';
import { expect } from 'chai';
import { cumuletProgram } from '../../src/cli/program.ts';
import { withCommand } from '../../src/cli/words.ts';
import { closeCloud, openCloud } from '../../src/cloud.ts';
import { configOf } from '../../src/config.ts';
import { databases } from '../support/databases.ts';

/** A wrong command line, in which words in capitals are replaced, and what it prints. */
type WrongStart = readonly [line: string, says: RegExp];

const parsed: readonly WrongStart[] = [
  ['strat', /^error: unknown command 'strat'\n\(Did you mean start\?\)/],
  ['start now', /^error: too many arguments for 'start'/],
  ['--prot 1', /^error: unknown option '--prot'\n\(Did you mean --port\?\)/],
  ['--port', /^error: option '--port <number>' argument missing/],
  ['--port x', /'x' is invalid\. Use a port from 0 to 65535\./],
  ['--port 70000', /'70000' is invalid\. Use a port from 0 to 65535\./],
  ['--listen placement', /Use SERVICE=PORT or SERVICE=HOST:PORT, such as placement=8778\./],
  ['--workers 0', /Use a number from 1 to 99\./],
  ['--log-level loud', /Use one of trace, debug, info, warn, error, silent\./],
  ['--log-format xml', /Use one of auto, text, json\./],
  ['--auth none', /Use one of keystone, noauth2\./],
  ['--profile seven-pods', /Use one of six-pods, three-regions\./],
  ['--latency server.create', /Use OPERATION=DURATION, such as server\.create=5s\./],
  ['--keep-deleted 5', /Use a number with a unit \(ms, s, m, h or d\), such as 12h\./],
  ['--journal 99999', /Use a number of requests from 0 to 20000\./],
  ['--keystone http://here', /Use the URL of a Keystone v3, such as /],
  ['--volume-capacity lots', /Use a number of GiB, such as 100\./],
  ['--regions ,', /Name at least one region, such as RegionOne,RegionTwo\./],
  ['exec', /^error: missing required argument 'command'/],
  ['snapshot save', /^error: missing required argument 'name'/],
  ['env --shell cmd', /Allowed choices are sh, fish, powershell\./],
];

const refused: readonly WrongStart[] = [
  ['--regions 1st', /^'1st' cannot be a region's name: up to 24 letters/],
  ['--regions One,one', /^Two regions have the same name\. Give each region a different name\.$/],
  ['--regions placement', /^'placement' cannot be a region's name: a service is mounted at/],
  ['--regions CentralRegion', /^A cloud needs a region besides the central one: name another/],
  ['--profile six-pods --regions One', /^--profile already sets --regions\. Leave it out\.$/],
  ['--admin-password=', /^The admin password is empty\. Set one with --admin-password/],
  ['--host 0.0.0.0', /^Other machines can reach 0\.0\.0\.0, and the default password is public\./],
  ['--auth noauth2 --host 0.0.0.0', /^With --auth noauth2 every client is an administrator/],
  ['--host 192.0.2.1 --admin-password x', /^192\.0\.2\.1 is not an address of this machine\. Name/],
  ['--host nowhere.invalid --admin-password x', /^No address is known for nowhere\.invalid\. Name/],
  ['--port TAKEN', /^Port \d+ is already in use\. Choose another with --port, or 0 for any/],
  ['--listen placement=TAKEN', /^Port \d+ is already in use\. Choose another with --listen\.$/],
  ['--listen nova=0', /^--listen nova: unknown service\. Services: identity, placement/],
  ['--workers 2', /^More than one worker needs a database that several processes can share\. Use/],
  ['exec --workers 2 true', /^The emulator of exec is a single process\. Leave --workers out\.$/],
  ['exec no-such-command', /^Command 'no-such-command' not found\. Install it, or add/],
  ['exec FOLDER/text', /FOLDER\/text' cannot be executed\. Make it executable with chmod \+x/],
  ['--latency server.craete=1s', /^--latency server\.craete: unknown name\. Valid names: /],
  ['--policy-dir FOLDER/none', /^--policy-dir FOLDER\/none: no such folder\. It contains files/],
  ['--policy-dir FOLDER/policies', /FOLDER\/policies\/placement\.yaml/],
  [
    '--hosts FOLDER/none',
    /^--hosts FOLDER\/none: expected a number, or the path of a readable file/,
  ],
  ['--hosts FOLDER/broken.yaml', /^FOLDER\/broken\.yaml: Flow sequence .+ at line 2, column 1\.$/],
  ['--hosts 20000', /^--hosts 20000: the maximum is 10000 hosts\.$/],
  ['--seed FOLDER/none', /^--seed FOLDER\/none: no such file\. '.+ export FILE' writes one\.$/],
  ['--seed FOLDER', /^--seed FOLDER: no such file\./],
  ['--seed FOLDER/text', /^--seed FOLDER\/text: Line 1 of the document is invalid: /],
  [
    '--seed FOLDER/newer',
    /^--seed FOLDER\/newer: The document has format 99, written by cumulet 99\.0\.0, but /,
  ],
  ['reset --port 1', /^No emulator answers at http:\/\/127\.0\.0\.1:1\. Start one with '.+ start'/],
  ['import FOLDER/none', /^There is no file FOLDER\/none\. '.+ export FOLDER\/none' writes one\.$/],
  ['--database postgres://x/y', /^'postgres:\/\/x\/y' is not a database URL\. Use sqlite:<folder>/],
  ['--database mysql://u:p#w@h/db', /^'mysql:\/\/u:\*\*\*@h\/db' is not .+ write %23 for #/],
  ['--database mysql://u:p%w@h/db', /^'mysql:\/\/u:\*\*\*@h\/db' is not .+ %25 for %\.$/],
  ['--database mysql://127.0.0.1:1/db', /cannot be opened: .*ECONNREFUSED.*\. Start the server/],
  [
    '--database mysql://nowhere.invalid/db',
    /cannot be opened: .*nowhere\.invalid.*Start the server/,
  ],
  ['--database sqlite:/dev/null/folder', /cannot be opened: ENOTDIR.+Choose a writable folder/],
  ['--database sqlite:FOLDER/text', /cannot be opened: .+Choose a writable folder/],
  ['--database sqlite:FOLDER/damaged', /cannot be opened: .+Restore its files from a copy, or/],
  [
    '--database sqlite:FOLDER/used --central-region Top',
    /^The central region of this cloud is CentralRegion, so Top/,
  ],
];

/** The program, which reports an error instead of ending this process. */
function program(write: (text: string) => void): Command {
  const root = cumuletProgram();
  const prepare = (command: Command): void => {
    command.exitOverride().configureOutput({ writeErr: write, writeOut: write });
    command.commands.forEach(prepare);
  };
  prepare(root);
  return root;
}

describe('a wrong start', () => {
  let folder: string;
  let taken: Server;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cumulet-wrong-'));
    writeFileSync(join(folder, 'text'), 'just text\n');
    writeFileSync(join(folder, 'newer'), '{"cumulet":"99.0.0","format":99}\n');
    writeFileSync(join(folder, 'broken.yaml'), '- [unclosed\n');
    mkdirSync(join(folder, 'policies'));
    writeFileSync(join(folder, 'policies', 'placement.yaml'), '- [unclosed\n');
    mkdirSync(join(folder, 'damaged'));
    writeFileSync(join(folder, 'damaged', 'central.sqlite'), 'not a database'.repeat(100));
    await closeCloud(
      await openCloud(
        configOf({
          database: { kind: 'sqlite', folder: join(folder, 'used') },
          regions: ['CentralRegion', 'RegionOne'],
          logLevel: 'silent',
          hosts: '0',
        }),
      ),
    );
    taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
  });

  after(() => {
    taken.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** What a command line prints; paths in the folder are shown as FOLDER. */
  async function outcome(line: string, code = 1): Promise<string> {
    const words = line
      .replaceAll('FOLDER', folder)
      .replaceAll('TAKEN', String((taken.address() as AddressInfo).port))
      .split(' ');
    const isStart = words[0]!.startsWith('--');
    const elsewhere = line.includes('--database') ? [] : ['--database', 'memory:'];
    const anyPort = line.includes('--port') ? [] : ['--port', '0'];
    let written = '';
    const root = program((text) => (written += text));
    const given = isStart
      ? [...words, ...(words.length === 1 ? [] : elsewhere), ...(words.length === 1 ? [] : anyPort)]
      : words;
    try {
      await root.parseAsync([...withCommand(given)], { from: 'user' });
    } catch (error) {
      expect(error).to.be.instanceOf(Error);
      if (error instanceof CommanderError) expect(error.exitCode).to.equal(code);
      const said = error instanceof CommanderError ? written : (error as Error).message;
      return said.replaceAll(folder, 'FOLDER').trim();
    }
    throw new Error(`'${line}' was accepted`);
  }

  /** The sentences of a message, without the hint of commander on its help. */
  const sentences = (text: string): string[] =>
    text
      .replace(/\n\(run .*$/s, '')
      .split(/(?<=[.?!])\s+(?=[A-Z])/)
      .filter(Boolean);

  for (const [line, says] of [...parsed, ...refused])
    it(line, async () => {
      const said = await outcome(line);
      expect(said).to.match(says);
      expect(said, 'a stack trace').not.to.match(/\n\s+at /);
      expect(sentences(said).length, said).to.be.at.most(3);
    });

  it('with a wrong password for MySQL', async function () {
    const url = await databases.freshUrl();
    if (!url) return this.skip();
    const wrong = new URL(url);
    Object.assign(wrong, { username: 'nobody', password: 'wrong' });
    const said = await outcome(`--database ${wrong.href}`);
    expect(said).to.match(/Access denied .+\. Check the user and the password in --database\./);
    expect(said).not.to.include('nobody:wrong');
  });
});
