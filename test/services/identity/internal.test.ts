// Calls of other services to Identity, from a request and a job in a region, and from a central
// service.
import { expect } from 'chai';
import { idFor } from '../../../src/kernel/ids.ts';
import { transact } from '../../../src/kernel/db/transaction.ts';
import { SECOND } from '../../../src/kernel/clock.ts';
import type { Actor, Call, Context } from '../../../src/kernel/model.ts';
import { inCentralTransaction, systemContext, contextWith } from '../../../src/kernel/context.ts';
import {
  actingFor,
  createTrust,
  deleteTrust,
  ensureTrust,
  findProject,
  findUser,
  rolesOf,
  serviceUser,
  trustsFor,
} from '../../../src/services/identity/index.ts';
import { noon, onEachDatabase } from '../../support/cloud.ts';
import { ask, ids, make, makeUser, onProject, signIn } from './support.ts';

onEachDatabase(
  'identity: calls from other services',
  { regions: ['RegionOne', 'RegionTwo'] },
  (world) => {
    const id = idFor('test.trust.1');
    let trustor: string;
    let token: string;
    let job: Context;
    let request: Context;
    let trustee: string;

    beforeEach(async () => {
      trustor = await makeUser(world, 'tor', 'member');
      token = await signIn(world, { name: 'tor', password: 'pw', scope: onProject('demo') });
      const region = world.cloud.regions.get('RegionTwo')!;
      job = systemContext(world.cloud, region, region.database.db, noon, 2);
      const caller = (await world.cloud.authenticate(token, noon))!;
      const actor: Actor = {
        userId: caller.userId,
        projectId: caller.projectId,
        roles: caller.roles,
        isAdmin: false,
        isService: false,
        credentials: caller.credentials,
      };
      request = {
        ...contextWith(job, { actor }),
        caller,
        origin: 'http://here',
      } as unknown as Call;
      trustee = await serviceUser(job, 'blazar');
    });

    const createTestTrust = (context: Context = request) =>
      createTrust(context, { id, trusteeUserId: trustee });
    const listed = async (): Promise<string[]> => {
      const reply = await ask(world, 'GET', `/v3/OS-TRUST/trusts?trustor_user_id=${trustor}`, {
        token,
      });
      expect(reply.status).to.equal(200);
      return (reply.body as { trusts: { id: string }[] }).trusts.map((trust) => trust.id);
    };
    const refusal = async (call: Promise<unknown>): Promise<number> => {
      try {
        await call;
      } catch (error) {
        return (error as { status: number }).status;
      }
      throw new Error('The call succeeded');
    };

    describe('createTrust', () => {
      it('delegates all roles of the actor on its project, and is visible in the API', async () => {
        const trust = await createTestTrust();
        expect(trust).to.deep.include({
          id,
          trustorUserId: trustor,
          trusteeUserId: trustee,
          projectId: ids.demoProject,
          impersonation: true,
          expiresAt: null,
          remainingUses: null,
        });
        expect(trust.roleIds).to.have.members([ids.role('member'), ids.role('reader')]);
        expect(await listed()).to.deep.equal([id]);
        const shown = await ask(world, 'GET', `/v3/OS-TRUST/trusts/${id}`, { token });
        expect(shown.body.trust).to.deep.include({
          trustor_user_id: trustor,
          trustee_user_id: trustee,
        });
      });

      it('accepts another trustor, project and roles from a job', async () => {
        const fields = {
          trustorUserId: trustor,
          projectId: ids.demoProject,
          roles: ['reader'],
          impersonation: false,
        };
        const expiresAt = noon + 60 * SECOND;
        await createTrust(job, { id, trusteeUserId: trustee, ...fields, expiresAt });
        const { trust } = (await ask(world, 'GET', `/v3/OS-TRUST/trusts/${id}`, { token })).body;
        expect(trust).to.deep.include({
          impersonation: false,
          expires_at: '2026-11-20T12:01:00.000000Z',
        });
        expect(trust.roles.map((role: { name: string }) => role.name)).to.deep.equal(['reader']);
      });

      it('returns the existing trust for the same id', async () => {
        const first = await createTestTrust();
        expect(await createTestTrust(job)).to.deep.equal(first);
        expect(await listed()).to.deep.equal([id]);
      });

      it("keeps the trust when the region's transaction rolls back", async () => {
        const undone = transact(request.region.database.db, async (db) => {
          await createTestTrust({ ...request, db });
          throw new Error('undone');
        });
        expect(await undone.catch((error: Error) => error.message)).to.equal('undone');
        expect(await listed()).to.deep.equal([id]);
      });

      it('rolls back with the transaction of a central service', async () => {
        const undone = inCentralTransaction(request, async (central) => {
          await createTestTrust(central);
          expect(await trustsFor(central, trustee)).to.have.length(1);
          throw new Error('undone');
        });
        expect(await undone.catch((error: Error) => error.message)).to.equal('undone');
        expect(await listed()).to.deep.equal([]);
      });

      it('opens its own transaction if a central service has none', async () => {
        const { cloud } = world;
        await createTestTrust(contextWith(request, { db: cloud.central.db }));
        expect(await listed()).to.deep.equal([id]);
        await deleteTrust(contextWith(request, { db: cloud.central.db }), id);
        expect(await listed()).to.deep.equal([]);
      });

      it('rejects unauthorized roles, an unknown trustee and an expiry in the past', async () => {
        const all = { id, trusteeUserId: trustee };
        expect(await refusal(createTrust(request, { ...all, roles: ['admin'] }))).to.equal(404);
        expect(await refusal(createTrust(request, { ...all, roles: ['nope'] }))).to.equal(404);
        expect(await refusal(createTrust(request, { ...all, roles: [] }))).to.equal(403);
        expect(await refusal(createTrust(job, all))).to.equal(403);
        expect(await refusal(createTrust(request, { ...all, trusteeUserId: 'nope' }))).to.equal(
          404,
        );
        expect(await refusal(createTrust(request, { ...all, expiresAt: noon - SECOND }))).to.equal(
          400,
        );
        expect(await listed()).to.deep.equal([]);
      });

      it('rejects a role that the trustor has lost since the request was authenticated', async () => {
        const member = `users/${trustor}/roles/${ids.role('member')}`;
        await ask(world, 'DELETE', `/v3/projects/${ids.demoProject}/${member}`);
        expect(await refusal(createTestTrust())).to.equal(404);
        expect(await trustsFor(job, trustee)).to.deep.equal([]);
      });

      it('creates a trust again that the trustor has deleted', async () => {
        const trust = await createTestTrust();
        await ask(world, 'DELETE', `/v3/OS-TRUST/trusts/${id}`, { token });
        expect(await listed()).to.deep.equal([]);
        expect(await createTestTrust()).to.deep.equal(trust);
        expect(await listed()).to.deep.equal([id]);
      });

      it('returns 403 for redelegating a trust that does not allow it', async () => {
        await createTestTrust();
        const acting = await world.cloud.authenticate(await trustToken(id), noon);
        const byTrust = { ...request, caller: acting } as unknown as Call;
        expect(
          await refusal(
            createTrust(byTrust, { id: idFor('test.trust.2'), trusteeUserId: trustee }),
          ),
        ).to.equal(403);
      });
    });

    /** A token for the trust, after giving the trustee a password. */
    const trustToken = async (trustId: string): Promise<string> => {
      await ask(world, 'PATCH', `/v3/users/${trustee}`, { body: { user: { password: 'pw' } } });
      return signIn(world, {
        name: 'blazar',
        password: 'pw',
        scope: { 'OS-TRUST:trust': { id: trustId } },
      });
    };

    describe('ensureTrust', () => {
      const service = { service: 'test', trustee: 'blazar' };

      it('returns one trust for each set of roles', async () => {
        const whole = await ensureTrust(request, service);
        expect(whole.roleIds).to.have.members([ids.role('member'), ids.role('reader')]);
        expect(await ensureTrust(request, service)).to.deep.equal(whole);
        const actor = { ...request.actor, roles: ['reader'] };
        const limited = await ensureTrust({ ...request, actor }, service);
        expect(limited.roleIds).to.deep.equal([ids.role('reader')]);
        expect(await listed()).to.have.members([whole.id, limited.id]);
        expect((await actingFor(job, whole.id)).actor.roles).to.deep.equal(['member', 'reader']);
      });

      it('creates a deleted trust again, with the same id', async () => {
        const { id: first } = await ensureTrust(request, service);
        await ask(world, 'DELETE', `/v3/OS-TRUST/trusts/${first}`, { token });
        expect(await listed()).to.deep.equal([]);
        expect((await ensureTrust(request, service)).id).to.equal(first);
      });

      it('returns 403 for the trust of a token that may not be redelegated', async () => {
        await createTestTrust();
        const caller = await world.cloud.authenticate(await trustToken(id), noon);
        const byTrust = { ...request, caller } as unknown as Call;
        await ensureTrust(request, service);
        expect(await refusal(ensureTrust(byTrust, service))).to.equal(403);
      });
    });

    describe('deleteTrust', () => {
      it('ends the trust and its tokens, can be repeated, and frees the id', async () => {
        await createTestTrust();
        const byTrust = await trustToken(id);
        expect((await ask(world, 'GET', '/v3/auth/projects', { token: byTrust })).status).to.equal(
          200,
        );
        await deleteTrust(request, id);
        expect(await listed()).to.deep.equal([]);
        expect((await ask(world, 'GET', '/v3/auth/projects', { token: byTrust })).status).to.equal(
          401,
        );
        expect((await ask(world, 'GET', `/v3/OS-TRUST/trusts/${id}`, { token })).status).to.equal(
          404,
        );
        await deleteTrust(job, id);
        await createTestTrust();
        expect(await listed()).to.deep.equal([id]);
      });

      it('keeps the other trusts of the trustee', async () => {
        await createTestTrust();
        const other = idFor('test.trust.2');
        await createTrust(request, { id: other, trusteeUserId: trustee });
        expect((await trustsFor(job, trustee)).map((trust) => trust.id)).to.have.members([
          id,
          other,
        ]);
        await deleteTrust(job, id);
        expect((await trustsFor(job, trustee)).map((trust) => trust.id)).to.deep.equal([other]);
      });
    });

    describe('actingFor', () => {
      it('returns the trustor with the delegated roles, in the same transaction', async () => {
        await createTestTrust();
        for (const context of [job, request]) {
          const acting = await actingFor(context, id);
          const { actor } = acting;
          expect(actor).to.deep.include({
            userId: trustor,
            projectId: ids.demoProject,
            isAdmin: false,
            isService: false,
          });
          expect(actor.roles).to.deep.equal(['member', 'reader']);
          expect(actor.credentials).to.deep.include({
            user_id: trustor,
            project_id: ids.demoProject,
            roles: ['member', 'reader'],
          });
          expect([acting.region, acting.db, acting.attempt, acting.now]).to.deep.equal([
            job.region,
            job.db,
            2,
            noon,
          ]);
          expect(acting).to.not.have.property('caller');
        }
      });

      it('returns the trustee with delegated roles if the trust does not impersonate', async () => {
        await createTrust(request, {
          id,
          trusteeUserId: trustee,
          impersonation: false,
          roles: ['reader'],
        });
        const { actor } = await actingFor(job, id);
        expect(actor).to.deep.include({
          userId: trustee,
          projectId: ids.demoProject,
          roles: ['reader'],
        });
      });

      it('limits the actor to some roles', async () => {
        await createTestTrust();
        const { actor } = await actingFor(job, id, ['reader', 'admin']);
        expect(actor.roles).to.deep.equal(['reader']);
        expect(actor.credentials).to.deep.include({ roles: ['reader'] });
      });

      it('sets isAdmin if the trustor delegates the role admin', async () => {
        const admin = { trustorUserId: ids.admin, projectId: ids.adminProject, roles: ['admin'] };
        await createTrust(job, { id, trusteeUserId: trustee, ...admin });
        expect((await actingFor(job, id)).actor).to.deep.include({
          userId: ids.admin,
          isAdmin: true,
        });
      });

      it('returns 403 after the trustor has lost the role', async () => {
        await createTestTrust();
        await ask(
          world,
          'DELETE',
          `/v3/projects/${ids.demoProject}/users/${trustor}/roles/${ids.role('member')}`,
        );
        expect(await refusal(actingFor(job, id))).to.equal(403);
      });

      for (const [who, path] of [
        ['the trustor', () => `users/${trustor}`],
        ['the trustee', () => `users/${trustee}`],
        ['the project', () => `projects/${ids.demoProject}`],
      ] as const) {
        it(`returns an error after ${who} was disabled or deleted`, async () => {
          await createTestTrust();
          const noun = path().split('/')[0]!.slice(0, -1);
          await ask(world, 'PATCH', `/v3/${path()}`, { body: { [noun]: { enabled: false } } });
          expect(await refusal(actingFor(job, id))).to.equal(403);
          expect((await ask(world, 'DELETE', `/v3/${path()}`)).status).to.equal(204);
          expect(await refusal(actingFor(job, id))).to.equal(404);
        });
      }

      it('returns 404 for an unknown or deleted trust', async () => {
        expect(await refusal(actingFor(job, id))).to.equal(404);
        await createTestTrust();
        await ask(world, 'DELETE', `/v3/OS-TRUST/trusts/${id}`, { token });
        expect(await refusal(actingFor(job, id))).to.equal(404);
      });

      it('returns 404 for an expired trust', async () => {
        const other = idFor('test.trust.2');
        await createTrust(request, { id: other, trusteeUserId: trustee, expiresAt: noon + SECOND });
        await actingFor(contextWith(job, { now: noon + SECOND }), other);
        expect(
          await refusal(actingFor(contextWith(job, { now: noon + 2 * SECOND }), other)),
        ).to.equal(404);
      });
    });

    describe('rolesOf', () => {
      it('includes inherited, implied and group roles', async () => {
        expect(await rolesOf(job, trustor, ids.demoProject)).to.deep.equal(['member', 'reader']);
        expect(await rolesOf(request, trustor, ids.adminProject)).to.deep.equal([]);
        await ask(
          world,
          'PUT',
          `/v3/OS-INHERIT/domains/default/users/${trustor}/roles/` +
            `${ids.role('manager')}/inherited_to_projects`,
        );
        expect(await rolesOf(job, trustor, ids.adminProject)).to.deep.equal([
          'manager',
          'member',
          'reader',
        ]);
        const group = await make(world, 'group', { name: 'g' });
        await ask(world, 'PUT', `/v3/groups/${group.id}/users/${trustor}`);
        await ask(
          world,
          'PUT',
          `/v3/projects/${ids.demoProject}/groups/${group.id}/roles/${ids.role('service')}`,
        );
        expect(await rolesOf(job, trustor, ids.demoProject)).to.include('service');
        expect(await rolesOf(job, 'nope', 'nope')).to.deep.equal([]);
      });
    });

    describe('serviceUser', () => {
      it("returns the same user with the service's roles at each call", async () => {
        expect(await serviceUser(request, 'blazar')).to.equal(trustee);
        const users = (await ask(world, 'GET', '/v3/users?name=blazar')).body.users as {
          id: string;
        }[];
        expect(users.map((user) => user.id)).to.deep.equal([trustee]);
        const project = (await ask(world, 'GET', '/v3/projects?name=service')).body.projects[0] as {
          id: string;
        };
        expect(await rolesOf(job, trustee, project.id)).to.include.members(['admin', 'service']);
      });

      it('returns an existing user of that name, which keeps its password', async () => {
        const { id: existing } = await make(world, 'user', { name: 'senlin', password: 'pw' });
        expect(await serviceUser(job, 'senlin')).to.equal(existing);
        await signIn(world, { name: 'senlin', password: 'pw', scope: onProject('service') });
      });

      it('restores roles that the user has lost', async () => {
        const project = (await ask(world, 'GET', '/v3/projects?name=service')).body.projects[0] as {
          id: string;
        };
        await ask(
          world,
          'DELETE',
          `/v3/projects/${project.id}/users/${trustee}/roles/${ids.role('admin')}`,
        );
        expect(await rolesOf(job, trustee, project.id)).to.deep.equal(['service']);
        await serviceUser(job, 'blazar');
        expect(await rolesOf(job, trustee, project.id)).to.include.members(['admin', 'service']);
      });

      it('gives the user a role that is created after it', async () => {
        const project = (await ask(world, 'GET', '/v3/projects?name=service')).body.projects[0] as {
          id: string;
        };
        await ask(world, 'DELETE', `/v3/roles/${ids.role('service')}`);
        await serviceUser(job, 'blazar');
        expect(await rolesOf(job, trustee, project.id)).not.to.include('service');
        await make(world, 'role', { name: 'service' });
        await serviceUser(job, 'blazar');
        expect(await rolesOf(job, trustee, project.id)).to.include('service');
      });
    });

    it('finds users and projects by id', async () => {
      expect(await findUser(job, trustor)).to.deep.include({
        id: trustor,
        name: 'tor',
        domainId: 'default',
        enabled: true,
      });
      expect(await findProject(request, ids.demoProject)).to.deep.include({
        name: 'demo',
        isDomain: false,
      });
      expect(await findUser(job, 'nope')).to.equal(undefined);
      expect(await findProject(job, 'nope')).to.equal(undefined);
    });
  },
);
