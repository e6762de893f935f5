// The URL of a console and the page that it leads to: a simulated screen for people.
import { isoSeconds } from '../../../../kernel/clock.ts';
import { escaped } from '../../../../kernel/user/html.ts';
import type { ComputeCall } from '../../call.ts';
import { consoleLogOf } from '../../domain/lifecycle/consoles.ts';
import { statusOf } from '../../domain/servers/states.ts';
import type { ConsoleToken, ConsoleType, Server } from '../../model.ts';

/**
 * The URL of a console. That of noVNC has the token within the parameter `path`, as upstream's.
 * Upstream: objects/console_auth_token.py access_url.
 */
export function consoleUrl({ origin, prefix }: ComputeCall, type: string, token: string): string {
  const query = type === 'novnc' ? `path=%3Ftoken%3D${token}` : `token=${token}`;
  return `${origin}${prefix}/console/${type}?${query}`;
}

const titles: Readonly<Record<ConsoleType, string>> = {
  novnc: 'VNC',
  'spice-html5': 'SPICE',
  'spice-direct': 'SPICE',
  serial: 'Serial',
  webmks: 'MKS',
};

/** The page with the console of a server. */
export function consolePage(server: Server, { consoleType, expiresAt }: ConsoleToken): string {
  const status = statusOf(server);
  const screen = consoleLogOf(server)
    .map((line) => escaped(line))
    .join('\n');
  return document(
    `${server.name} - console`,
    `<header>
<h1>${escaped(server.name)}</h1>
<span class="state ${status === 'ACTIVE' ? 'on' : 'off'}">${escaped(status)}</span>
<span class="type">${titles[consoleType]} console</span>
</header>
<pre tabindex="0">${screen}<span class="cursor"></span></pre>
<footer>
<p>Server ${escaped(server.uuid)}. This console is simulated: the server has no guest, so nothing
can be typed.</p>
<p>The URL is valid until ${escaped(isoSeconds(expiresAt))}.</p>
</footer>`,
  );
}

/** The page for a token that is unknown or has expired. */
export const refusalPage = (): string =>
  document(
    'Console not available',
    `<header><h1>Console not available</h1></header>
<p>The token of this URL is not valid, or has expired. Ask for a new URL, for example with
<code>openstack console url show SERVER</code>.</p>`,
  );

const document = (title: string, main: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>${styles}</style>
</head>
<body>
<main>
${main}
</main>
</body>
</html>
`;

const styles = `
:root { color-scheme: dark; }
* { box-sizing: border-box; }
body { background: #14171c; color: #d6dae0; font: 15px/1.5 system-ui, sans-serif; margin: 0; }
main { display: flex; flex-direction: column; gap: 1rem; margin: 0 auto; max-width: 60rem;
  min-height: 100vh; padding: 1.5rem; }
header { align-items: baseline; display: flex; flex-wrap: wrap; gap: .75rem; }
h1 { font-size: 1.25rem; margin: 0; overflow-wrap: anywhere; }
.state { border-radius: 1rem; font-size: .75rem; font-weight: 600; padding: .1rem .6rem; }
.on { background: #1d4d33; color: #a6ecc3; }
.off { background: #53331c; color: #f5cfa6; }
.type { color: #9aa3af; margin-left: auto; }
pre { background: #000; border: 1px solid #333a44; border-radius: .5rem; color: #c9f0d2; flex: 1;
  font: 14px/1.5 ui-monospace, monospace; margin: 0; min-height: 20rem; overflow: auto;
  padding: 1rem; white-space: pre-wrap; }
.cursor { animation: blink 1.1s steps(1) infinite; background: #c9f0d2; display: inline-block;
  height: 1.1em; vertical-align: text-bottom; width: .6em; }
@keyframes blink { 50% { opacity: 0; } }
@media (prefers-reduced-motion: reduce) { .cursor { animation: none; } }
footer, footer p { color: #9aa3af; font-size: .85rem; margin: 0; }
code { background: #000; border-radius: .25rem; padding: .1rem .3rem; }
`;
