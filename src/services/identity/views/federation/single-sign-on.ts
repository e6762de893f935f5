// The pages of single sign-on: where to sign in, and back to the dashboard.
import { createHash } from 'node:crypto';
import { reply } from '../../../../kernel/http/reply.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';
import { escaped, pageReply } from '../../../../kernel/user/html.ts';
import type { SignInPlace } from '../../domain/federation/browser-sign-in.ts';
import { filledTemplate, type CallbackValues } from '../../domain/federation/callback-template.ts';

/** A page with a link for each place. */
export function choicePage({ query }: Call, places: readonly SignInPlace[]): Reply {
  const origin = encodeURIComponent(query.first('origin') ?? '');
  const links = places.map(({ providerId, remoteId }) => {
    const target = `?origin=${origin}&iss=${encodeURIComponent(remoteId)}`;
    return `<li><a href="${escaped(target)}">${escaped(providerId)}</a> ${escaped(remoteId)}</li>`;
  });
  return pageReply(
    200,
    document('Sign in', `<h1>Sign in at</h1>\n<ul>\n${links.join('\n')}\n</ul>`),
  );
}

/**
 * The page that posts a token to a dashboard.
 * @param cookie a header Set-Cookie; undefined for none
 */
export function callbackPage(
  template: string | null,
  { host, token }: CallbackValues,
  cookie: string | undefined,
): Reply {
  const values = { host: escaped(host), token: escaped(token) };
  const page = template === null ? callbackDocument(values) : filledTemplate(template, values);
  return reply(200, page, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(template === null ? { 'content-security-policy': callbackPolicy } : {}),
    ...(cookie === undefined ? {} : { 'set-cookie': cookie }),
  });
}

/**
 * The code in the URL of the page is removed before the form is sent: the dashboard gets the URL as
 * its referrer. Horizon takes the address of Keystone from there.
 */
const script = `
history.replaceState(null, '', location.pathname);
const policy = document.createElement('meta');
policy.name = 'referrer';
policy.content = 'no-referrer-when-downgrade';
document.head.append(policy);
document.forms.sso.submit();
`;

const digest = createHash('sha256').update(script).digest('base64');
const callbackPolicy = `default-src 'none'; script-src 'sha256-${digest}'`;

const callbackDocument = ({ host, token }: CallbackValues): string =>
  document(
    'Signing in',
    `<form id="sso" name="sso" action="${host}" method="post">
<p>Signing in ...</p>
<input type="hidden" name="token" id="token" value="${token}">
<noscript><button type="submit">Continue</button></noscript>
</form>
<script>${script}</script>`,
  );

const document = (title: string, main: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
</head>
<body>
${main}
</body>
</html>
`;
