// Tests of /_emulator/clouds.yaml, /_emulator/openrc and /_emulator/environment.
import { expect } from 'chai';
import { parse } from 'yaml';
import { onEachDatabase } from '../../support/cloud.ts';

const password = "it's $ecret";

onEachDatabase(
  'client configuration',
  { regions: ['RegionOne', 'RegionTwo'], adminPassword: password },
  (world) => {
    describe('GET /_emulator/clouds.yaml', () => {
      it('has clouds for admin, demo and the system scope, with valid credentials', async () => {
        const response = await world.http
          .get('/_emulator/clouds.yaml')
          .expect(200)
          .expect('content-type', /^application\/yaml/);
        const { clouds } = parse(response.text) as {
          clouds: Record<
            string,
            { auth: Record<string, string>; region_name: string; regions: string[] }
          >;
        };
        expect(Object.keys(clouds)).to.deep.equal(['cumulet', 'cumulet-demo', 'cumulet-system']);
        for (const { auth, region_name: region } of Object.values(clouds)) {
          expect(region).to.equal('RegionOne');
          expect(auth['password']).to.equal(password);
          expect(new URL(auth['auth_url']!).pathname).to.equal('/identity/v3');
          const user = {
            name: auth['username'],
            password: auth['password'],
            domain: { name: auth['user_domain_name'] },
          };
          const scope = auth['system_scope']
            ? { system: { all: true } }
            : {
                project: {
                  name: auth['project_name'],
                  domain: { name: auth['project_domain_name'] },
                },
              };
          const body = { auth: { identity: { methods: ['password'], password: { user } }, scope } };
          await world.http.post('/identity/v3/auth/tokens').send(body).expect(201);
        }
      });

      it('contains the address that the client used', async () => {
        const { text } = await world.http
          .get('/_emulator/clouds.yaml')
          .set('host', 'localhost:1234')
          .expect(200);
        expect(text).to.include('http://localhost:1234/identity/v3');
      });
    });

    describe('GET /_emulator/openrc', () => {
      it('sets variables for a shell, with the password quoted', async () => {
        const { text } = await world.http
          .get('/_emulator/openrc')
          .expect(200)
          .expect('content-type', /^text\/plain/);
        expect(text).to.include(`export OS_PASSWORD='it'\\''s $ecret'\n`);
        expect(text).to.match(/^export OS_AUTH_URL='http:\/\/127\.0\.0\.1:\d+\/identity\/v3'$/m);
        expect(text).to.include("export OS_REGION_NAME='RegionOne'\n");
      });

      it('writes for the shell that the query names', async () => {
        const { text } = await world.http.get('/_emulator/openrc?shell=powershell').expect(200);
        expect(text).to.include(`$env:OS_PASSWORD = 'it''s $ecret'\n`);
        await world.http.get('/_emulator/openrc?shell=cmd').expect(400);
      });
    });

    describe('GET /_emulator/environment', () => {
      it('returns the variables that openrc sets', async () => {
        const { body } = await world.http.get('/_emulator/environment').expect(200);
        const { environment, missing } = body as {
          environment: Record<string, string>;
          missing: unknown;
        };
        expect(missing).to.equal(null);
        expect(environment).to.include({ OS_USERNAME: 'admin', OS_PASSWORD: password });
        expect(environment['OS_AUTH_URL']).to.match(/^http:\/\/127\.0\.0\.1:\d+\/identity\/v3$/);
      });
    });

    describe('a password that has been changed', () => {
      const setPassword = async (user: string, original: string, next: string): Promise<void> => {
        const { id, token } = await signIn(user, original);
        await world.http
          .post(`/identity/v3/users/${id}/password`)
          .set('x-auth-token', token)
          .send({ user: { original_password: original, password: next } })
          .expect(204);
      };
      const signIn = async (
        name: string,
        secret: string,
      ): Promise<{ id: string; token: string }> => {
        const user = { name, password: secret, domain: { id: 'default' } };
        const identity = { methods: ['password'], password: { user } };
        const { body, headers } = await world.http
          .post('/identity/v3/auth/tokens')
          .send({ auth: { identity } })
          .expect(201);
        const { token } = body as { token: { user: { id: string } } };
        return { id: token.user.id, token: String(headers['x-subject-token']) };
      };
      const read = async (path: string): Promise<string> =>
        (await world.http.get(`/_emulator/${path}`).expect(200)).text;

      it('is left out, with a hint, if it is not known', async () => {
        await setPassword('admin', password, 'another');
        const openrc = await read('openrc');
        expect(openrc).not.to.include('export OS_PASSWORD');
        expect(openrc).to.match(
          /^echo 'The password of admin is not known here: .+ OS_PASSWORD to/m,
        );
        const yaml = await read('clouds.yaml');
        expect(yaml).to.match(/^# The password of admin is not known here: .+ as password\.\n/);
        expect(await read('environment'))
          .to.include('"missing":"The password of admin is not known here')
          .and.not.include('OS_PASSWORD"');
        const { clouds } = parse(yaml) as { clouds: Record<string, { auth: object }> };
        expect(clouds['cumulet']!.auth).not.to.have.property('password');
        expect(clouds['cumulet-demo']!.auth).to.include({ password });
      });

      it('is shown if it is the default one', async () => {
        await setPassword('admin', password, 'secret');
        expect(await read('openrc')).to.include("export OS_PASSWORD='secret'\n");
      });
    });
  },
);

onEachDatabase('client configuration with --auth noauth2', { auth: 'noauth2' }, (world) => {
  it('has no password, but a token and the address of each service', async () => {
    const { text } = await world.http.get('/_emulator/openrc').expect(200);
    expect(text).not.to.include('PASSWORD');
    expect(text).to.include("export OS_AUTH_TYPE='admin_token'\nexport OS_TOKEN='admin'\n");
    expect(text).to.match(/^export OS_ENDPOINT='http:.+\/placement'$/m);
    const [, url] = /^export OS_PLACEMENT_ENDPOINT_OVERRIDE='(.+)'$/m.exec(text)!;
    await world.http
      .get(`${new URL(url!).pathname}/resource_providers`)
      .set('x-auth-token', 'admin')
      .expect(200);
    const yaml = await world.http.get('/_emulator/clouds.yaml').expect(200);
    const { clouds } = parse(yaml.text) as { clouds: Record<string, Record<string, unknown>> };
    expect(Object.keys(clouds)).to.deep.equal(['cumulet']);
    expect(clouds['cumulet']).to.include({ auth_type: 'admin_token' });
    expect(clouds['cumulet']!['compute_endpoint_override']).to.match(/\/compute\/v2\.1$/);
  });
});

onEachDatabase(
  'client configuration with --keystone',
  { keystone: 'http://127.0.0.1:1/identity/v3' },
  (world) => {
    it('names the Keystone of the other cloud', async () => {
      const { text } = await world.http.get('/_emulator/openrc').expect(200);
      expect(text).to.include("export OS_AUTH_URL='http://127.0.0.1:1/identity/v3'\n");
      expect(text).to.match(/^echo 'This cloud accepts the tokens of the Keystone at .+' >&2$/m);
      expect(text).not.to.include('OS_USERNAME');
    });
  },
);
