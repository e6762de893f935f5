// The sessions of users who have presented an assertion. Each assertion opens one session.
import { createHash } from 'node:crypto';
import { writeInCentral } from '../../../../kernel/context.ts';
import { cookieValues } from '../cookies.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import { findSession, insertSession } from '../../store/saml/sessions.ts';
import type { Attributes } from '../federation/remote-ids.ts';
import { refuseOnDuplicate } from '../refusals.ts';
import { refused, type Statement } from './verification.ts';

/** The name of the cookie with the id of a session, as Shibboleth names it. */
export const cookieName = '_shibsession_64656661756c74';

/** Opens a session. @returns its id. @throws 401 if the assertion has been presented before */
export async function openSession(context: Context, statement: Statement): Promise<string> {
  const { issuer, id: assertionId, expiresAt } = statement;
  const session = {
    id: `_${newHexId()}`,
    assertion: createHash('sha256').update(`${issuer}\n${assertionId}`).digest('hex'),
    attributes: attributesOf(statement),
    expiresAt,
  };
  await writeInCentral(context, ({ db, now }) =>
    refuseOnDuplicate(insertSession(db, session, now), () =>
      refused('the assertion has been presented before.'),
    ),
  );
  return session.id;
}

/** Names that identity providers cannot give to attributes, because they have a meaning here. */
const reserved = /^(?:HTTPS?_|REMOTE_|Shib-)/i;

/**
 * What the assertion says, as mod_shib gives it to Keystone: a semicolon separates several values.
 */
function attributesOf({ issuer, subject, attributes }: Statement): Attributes {
  const free = attributes.filter(([name]) => !reserved.test(name));
  return {
    ...Object.fromEntries(free.map(([name, values]) => [name, values.join(';')])),
    ...(subject ? { REMOTE_USER: subject } : {}),
    'Shib-Identity-Provider': issuer,
  };
}

/** The attributes of the session in a header Cookie. Empty without a valid session. */
export async function sessionAttributes(
  { db, now }: Pick<Context, 'db' | 'now'>,
  cookie: string | undefined,
): Promise<Attributes> {
  for (const value of cookieValues(cookie, cookieName)) {
    if (!/^_[0-9a-f]{32}$/.test(value)) continue;
    const session = await findSession(db, value);
    if (session && now < session.expiresAt) return session.attributes;
  }
  return {};
}
