// Tests of the files for images, clusters and pipelines: their form, the options that they set, and
// the scripts that they call.
import { execFile } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';
import { unknownVariables } from '../../src/cli/environment.ts';
import { packageRoot } from '../../src/kernel/package-root.ts';
import { programArguments } from '../support/program.ts';

const root = packageRoot();
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** A node of a YAML document. */
interface Node {
  readonly [name: string]: any; // eslint-disable-line
}

const yaml = (file: string): Node => parse(read(file)) as Node;

/** The names that are no variables of the emulator. */
const unknown = (names: readonly string[]): string[] =>
  unknownVariables(Object.fromEntries(names.map((name) => [name, '1'])));

describe('Dockerfile', () => {
  /** The instructions, with continued lines joined. */
  const lines = read('Dockerfile')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\s*\\\n\s*/g, ' ')
    .split('\n')
    .filter(Boolean);
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));

  it('takes both base images from arguments', () => {
    const froms = lines.filter((line) => line.startsWith('FROM '));
    expect(froms).to.deep.equal(['FROM ${BUILD_BASE} AS build', 'FROM ${BASE}']);
    for (const name of ['BUILD_BASE', 'BASE'])
      expect(lines.find((line) => line.startsWith(`ARG ${name}=`))).to.match(/=node:\d+-\S+$/);
  });

  it('runs without a shell as a user that is not root, with a volume and a health check', () => {
    expect(last.filter((line) => /^(RUN|ADD|SHELL)\b/.test(line))).to.deep.equal([]);
    expect(last).to.include('USER 10001:10001').and.include('VOLUME /var/lib/cumulet');
    for (const name of ['ENTRYPOINT', 'CMD', 'HEALTHCHECK'])
      expect(last.find((line) => line.startsWith(name))).to.match(/\["?.+"\]$/);
  });

  it('sets variables that the emulator knows', () => {
    const names = last.join(' ').match(/\bCUMULET_\w+(?==)/g) ?? [];
    expect(names).to.include('CUMULET_DATABASE');
    expect(unknown(names)).to.deep.equal([]);
  });

  it('has all files that it copies in its context', () => {
    const allowed: string[] = read('.dockerignore').match(/(?<=^!)\S+/gm) ?? [];
    for (const file of allowed) expect(existsSync(join(root, file)), file).to.equal(true);
    const copied = lines
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from'))
      .flatMap((line) => line.split(' ').slice(1, -1));
    expect(copied.filter((file) => file !== '.' && !allowed.includes(file))).to.deep.equal([]);
  });
});

describe('compose files', () => {
  const { services, volumes } = yaml('compose.yaml');

  it('start the emulator when the database is healthy', () => {
    const { condition } = services.cumulet.depends_on.database;
    expect(condition).to.equal('service_healthy');
    expect(services.database.healthcheck.test[0]).to.equal('CMD');
  });

  it('set variables that the emulator knows, and mount files and volumes that exist', () => {
    expect(unknown(Object.keys(services.cumulet.environment))).to.deep.equal([]);
    const sources = (services.database.volumes as string[]).map((one) => one.split(':')[0]!);
    for (const source of sources)
      expect(source.startsWith('./') ? existsSync(join(root, source)) : source in volumes).to.equal(
        true,
      );
  });

  it('give the emulator few rights', () => {
    expect(services.cumulet).to.deep.include({ read_only: true, cap_drop: ['ALL'] });
  });

  it('have one for three processes, whose command the emulator knows', async () => {
    const { command } = yaml('deploy/compose.processes.yaml').services.cumulet;
    expect(command).to.deep.equal(['start', '--workers', '3']);
    const { code, err } = await run(process.execPath, [
      ...programArguments(),
      ...command,
      '--help',
    ]);
    expect([code, err]).to.deep.equal([0, '']);
  });
});

describe('Kubernetes manifests', () => {
  const objects = parseAllDocuments(read('deploy/kubernetes/manifests.yaml')).map(
    (one) => one.toJS() as Node,
  );
  const of = (kind: string): Node => objects.find((one) => one.kind === kind)!;
  const { template, selector, strategy, replicas } = of('Deployment').spec;
  const [container] = template.spec.containers;

  it('select the pods of the deployment, and name ports, volumes and claims that exist', () => {
    expect(template.metadata.labels).to.deep.include(selector.matchLabels);
    expect(template.metadata.labels).to.deep.include(of('Service').spec.selector);
    const ports = container.ports.map(({ name }: Node) => name);
    expect(ports).to.include(of('Service').spec.ports[0].targetPort);
    const names = template.spec.volumes.map(({ name }: Node) => name);
    expect(container.volumeMounts.map(({ name }: Node) => name)).to.deep.equal(names);
    const { claimName } = template.spec.volumes[0].persistentVolumeClaim;
    expect(claimName).to.equal(of('PersistentVolumeClaim').metadata.name);
  });

  it('satisfy the restricted Pod Security Standard', () => {
    expect(template.spec.securityContext).to.deep.include({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(container.securityContext).to.deep.equal({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('run one process on the folder at a time', () => {
    expect([replicas, strategy.type]).to.deep.equal([1, 'Recreate']);
  });

  it('set variables that the emulator knows, from a secret', () => {
    const names = container.env.map(({ name }: Node) => name);
    expect(unknown(names)).to.deep.equal([]);
    for (const { valueFrom } of container.env)
      expect(valueFrom.secretKeyRef.name).to.equal('cumulet');
  });

  it('leave out the variables of services, because CUMULET_PORT would be one', () => {
    expect(of('Service').metadata.name).to.equal('cumulet');
    expect(template.spec.enableServiceLinks).to.equal(false);
  });

  it('probe a path that needs no control token', () => {
    for (const name of ['startupProbe', 'readinessProbe', 'livenessProbe'])
      expect(container[name].httpGet).to.deep.equal({ path: '/identity/v3', port: 'api' });
  });
});

describe('pipelines', () => {
  it('have an action that only calls a script', () => {
    const { runs, inputs, outputs } = yaml('action.yml');
    expect(runs.using).to.equal('composite');
    for (const { shell, run: command } of runs.steps) {
      expect(shell).to.equal('bash');
      const [, script] = /^bash "\$GITHUB_ACTION_PATH\/([\w./-]+)"$/.exec(command) ?? [];
      accessSync(join(root, script!), constants.X_OK);
    }
    const text = read('action.yml');
    for (const name of Object.keys(inputs)) expect(text).to.include(`\${{ inputs.${name} }}`);
    expect(outputs.url.value).to.equal('${{ steps.start.outputs.url }}');
    for (const input of Object.values<Node>(inputs)) expect(input.description).to.be.a('string');
  });

  it('have workflows whose scripts exist', () => {
    for (const file of ['ci.yml', 'release.yml']) {
      const scripts = read(`.github/workflows/${file}`).match(/(?<=bash )\.ci\/[\w-]+/g) ?? [];
      expect(scripts).to.have.length.greaterThan(0);
      for (const script of scripts) expect(existsSync(join(root, script)), script).to.equal(true);
    }
  });

  it('set variables on GitLab that the emulator knows', () => {
    const { variables, test } = yaml('deploy/ci/gitlab.yml');
    expect(unknown(Object.keys({ ...variables, ...test.variables }))).to.deep.equal([]);
  });

  it('refuse a tag that is not the version of the package', async () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    const tried = await run('bash', ['.ci/check-tag', 'v99.0.0']);
    expect([tried.code, tried.err]).to.deep.equal([
      1,
      `The tag is v99.0.0, and the version in package.json is ${version}: tag v${version}.\n`,
    ]);
  });
});

describe('deploy/ci/start', () => {
  let folder: string;
  let env: Record<string, string>;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'cumulet-ci-'));
    const words = [process.execPath, ...programArguments()].map((word) => `'${word}'`).join(' ');
    const command = join(folder, 'cumulet');
    writeFileSync(command, `#!/bin/sh\ncd '${root}' && exec ${words} "$@"\n`);
    chmodSync(command, 0o755);
    env = {
      PATH: `${folder}:${process.env['PATH']}`,
      HOME: folder,
      CUMULET_CI_FOLDER: join(folder, 'state'),
      CUMULET_CI_OPTIONS: '--hosts 0 --regions North,South --log-level warn',
    };
  });

  afterEach(async () => {
    await run(join(folder, 'cumulet'), ['stop', '--folder', join(folder, 'state')], { env });
    rmSync(folder, { recursive: true });
  });

  it('gives later steps on GitHub the variables of a cloud with the options', async () => {
    const files = { GITHUB_ENV: join(folder, 'env'), GITHUB_OUTPUT: join(folder, 'output') };
    const { code, err } = await run('bash', ['deploy/ci/start'], { env: { ...env, ...files } });
    expect(code, err).to.equal(0);
    const lines = readFileSync(files.GITHUB_ENV, 'utf8').trim().split('\n');
    const given = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)));
    const [, url] = /^url=(.+)\n$/.exec(readFileSync(files.GITHUB_OUTPUT, 'utf8'))!;
    expect(given).to.include({
      CUMULET_URL: url,
      OS_AUTH_URL: `${url}/identity/v3`,
      OS_USERNAME: 'admin',
      OS_REGION_NAME: 'North',
    });
    expect((await fetch(`${given['OS_AUTH_URL']}`)).status).to.equal(200);
  });

  it('prints the variables as commands of a shell elsewhere', async () => {
    const script = 'eval "$(deploy/ci/start)" && curl -fsS "$CUMULET_URL/_emulator/health"';
    const { code, out, err } = await run('bash', ['-euc', script], { env });
    expect([code, out], err).to.deep.equal([0, '{"status":"ok"}']);
  });
});

interface Result {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function run(
  file: string,
  args: readonly string[],
  { env = process.env }: { env?: NodeJS.ProcessEnv } = {},
): Promise<Result> {
  return new Promise((done) => {
    execFile(file, args, { cwd: root, env, encoding: 'utf8' }, (error, out, err) =>
      done({ code: error ? Number(error.code) : 0, out, err }),
    );
  });
}
