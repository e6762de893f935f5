// A test with a cloud in a container: npm install -D testcontainers, then node --test. The image is
// that of `docker build -t cumulet .`; CUMULET_IMAGE names another one.
import { strict as assert } from 'node:assert';
import { after, before, test } from 'node:test';
import { connectCloud } from 'cumulet';
import { GenericContainer, Wait } from 'testcontainers';

const controlToken = 'only-for-tests';
let container;
let cloud;

before(async () => {
  container = await new GenericContainer(process.env.CUMULET_IMAGE ?? 'cumulet')
    .withEnvironment({
      CUMULET_ADMIN_PASSWORD: 'only-for-tests',
      CUMULET_CONTROL_TOKEN: controlToken,
      CUMULET_DATABASE: 'memory:',
    })
    .withExposedPorts(6060)
    .withWaitStrategy(Wait.forHttp('/identity/v3', 6060))
    .start();
  const url = `http://${container.getHost()}:${container.getMappedPort(6060)}`;
  cloud = await connectCloud(url, { controlToken });
});

after(() => container?.stop());

test('the cloud signs its admin in', async () => {
  const { OS_AUTH_URL: keystone } = cloud.env;
  const response = await fetch(keystone);
  assert.equal(response.status, 200);
  assert.equal((await cloud.info()).regions[0], 'RegionOne');
});
