// Tests of /_emulator/openapi: the descriptions of the services' APIs.
import { expect } from 'chai';
import { onEachDatabase } from '../support/cloud.ts';

interface Description {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

onEachDatabase('/_emulator/openapi', {}, (world) => {
  const describeService = async (service: string, query = ''): Promise<Description> => {
    const path = `/_emulator/openapi/${service}${query}`;
    return (await world.http.get(path).expect(200)).body as Description;
  };

  it('describes a microversion without what is newer or older', async () => {
    const old = await describeService('placement', '?microversion=1.0');
    expect(old.info.version).to.equal('1.0');
    expect(old.paths).not.to.have.property('/traits');
    const current = await describeService('placement', '?microversion=1.39');
    expect(current.paths).to.have.property('/traits');
    expect(current.paths['/resource_providers']?.['post']).to.have.nested.property('responses.200');
    expect(old.paths['/resource_providers']?.['post']).to.have.nested.property('responses.201');
    expect(old.paths['/resource_providers']?.['post']).not.to.have.nested.property('responses.200');
  });

  it('has no reference and no mark of a version in a microversion', async () => {
    for (const [service, version] of [
      ['compute', '2.96'],
      ['identity', '3.14'],
      ['network', '2.0'],
      ['emulator', '1.0'],
    ]) {
      const text = JSON.stringify(await describeService(service!, `?microversion=${version}`));
      expect(text, service).not.to.match(/"\$ref"|"min-ver"|"max-ver"/);
    }
  });

  it('marks what exists at which microversion in the description of all', async () => {
    const text = JSON.stringify(await describeService('placement'));
    expect(text).to.include('"x-openstack":{"min-ver":"1.20"}');
  });

  it('names the address under which the service is', async () => {
    const { servers } = await describeService('compute');
    expect(servers[0]?.url).to.match(/^http:\/\/127\.0\.0\.1:\d+\/compute$/);
  });

  it('rejects unknown microversions and services, and names the known ones', async () => {
    const { body } = await world.http.get('/_emulator/openapi/volume?microversion=9.9').expect(400);
    expect(JSON.stringify(body)).to.include(
      "volume has no microversion '9.9'. It has 3.0 to 3.70.",
    );
    const unknown = await world.http.get('/_emulator/openapi/nova').expect(404);
    expect(JSON.stringify(unknown.body)).to.include("There is no service 'nova'. Services: ");
  });
});
