// Tests of /_emulator/clouds.yaml and /_emulator/openrc.
import { expect } from 'chai';
import { parse } from 'yaml';
import { onEachDatabase } from '../support/cloud.ts';

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
    });
  },
);
