// The page that a browser gets at `/` and at `/_emulator/`: what this is, and where to go next.
import { commandName } from '../../kernel/command-line.ts';
import { escaped, pageReply } from '../../kernel/user/html.ts';
import { isMounted } from '../../kernel/http/mounts.ts';
import type { Cloud, IncomingRequest, Region, Reply, Service } from '../../kernel/model.ts';
import { packageVersion } from '../../kernel/package-root.ts';

/** The page, if the client asks for HTML as browsers do; undefined for other clients. */
export function frontPage({ cloud, origin, headers }: IncomingRequest): Reply | undefined {
  if (!headers.accept?.includes('text/html')) return undefined;
  return pageReply(200, pageOf(cloud, origin), { vary: 'Accept' });
}

function pageOf(cloud: Cloud, origin: string): string {
  const regions = [...cloud.regions.values()];
  const rows = cloud.services
    .filter(({ definition }) => definition.type !== undefined)
    .map((service) => rowOf(service, linksOf(cloud, service, regions)))
    .join('');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Cumulet</title>
<style>
body { font: 1rem/1.5 sans-serif; margin: 2rem auto; max-width: 50rem; padding: 0 1rem; }
pre { background: #8882; overflow: auto; padding: .5rem; }
td, th { padding: 0 1rem 0 0; text-align: left; vertical-align: top; }
</style>
<h1>Cumulet</h1>
<p>This is Cumulet ${escaped(packageVersion())}, an emulator of OpenStack for tests and development.
Its APIs answer like those of a real cloud, but its servers have no guests.</p>
<p>Regions: ${regions.map(({ name }) => escaped(name)).join(', ')}.</p>
<h2>Sign in</h2>
${signIn(cloud, origin)}
<h2>Services</h2>
<table>
<tr><th>Service<th>Versions<th>Address
${rows}</table>
<h2>Control the emulator</h2>
<p>The API at <code>/_emulator</code> resets the cloud, saves and restores it, moves its clock,
makes requests fail and lists the requests that it received:
${['info', 'ready', 'clock', 'regions', 'faults', 'snapshots', 'metrics'].map(controlLink).join(', ')}.
<code>${escaped(commandName())} --help</code> lists the commands that do the same.</p>
<h2>Documentation</h2>
<p>Begin with <code>docs/README.md</code> in the repository of Cumulet. It links the guides, a page
for each service, and the reference of the API at <code>/_emulator</code>.</p>
`;
}

/** How to sign in. The origin comes from the Host header, so it may contain anything. */
function signIn({ config }: Cloud, origin: string): string {
  if (config.auth === 'noauth2')
    return `<p>Clients need no password: the token <code>admin</code> is an administrator, and
<code>USER:PROJECT</code> is any other user.</p>`;
  if (config.keystone !== undefined)
    return `<p>Sign in at the Keystone <code>${escaped(config.keystone)}</code>. This cloud accepts
its tokens.</p>`;
  return `<pre>eval "$(curl -sS ${escaped(origin)}/_emulator/openrc)"
openstack server list</pre>
<p>The users are <code>admin</code> and <code>demo</code>. SDKs read
<a href="/_emulator/clouds.yaml">clouds.yaml</a>.</p>`;
}

const controlLink = (name: string): string => `<a href="/_emulator/${name}">${name}</a>`;

const rowOf = ({ definition }: Service, links: string): string => {
  const { min, max } = definition.versions;
  const versions = min === max ? min.name : `${min.name} – ${max.name}`;
  return links && `<tr><td>${escaped(definition.description)}<td>${versions}<td>${links}\n`;
};

/** The links to a service: one for each region that offers it, or one for all of them. */
function linksOf(cloud: Cloud, { definition }: Service, regions: readonly Region[]): string {
  const { prefix } = definition;
  const inRegions = regions
    .filter((region) => definition.database === 'region' && isMounted(cloud, definition, region))
    .map(({ name }) => (name === cloud.firstRegion.name ? prefix : `/${name}${prefix}`));
  const plain = definition.database !== 'region' && isMounted(cloud, definition, undefined);
  return [...(plain ? [prefix] : []), ...inRegions]
    .map((path) => `<a href="${escaped(path)}">${escaped(path)}</a>`)
    .join('<br>');
}
