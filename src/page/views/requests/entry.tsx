// One recorded request as a whole.
import type { ComponentChildren } from 'preact';
import { emulator } from '../../core/http.ts';
import { curlOfEntry, operationOf, refusalOf, type Entry } from '../../core/journal.ts';
import { useLive } from '../../core/live.ts';
import { hrefOf, setQuery } from '../../core/router.ts';
import { ActionButton } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/command.tsx';
import { Panel, Pending } from '../../parts/panel.tsx';
import { HttpStatus } from '../../parts/status.tsx';
import { clockTime } from '../../parts/text.ts';
import { failNext } from './actions.ts';

export function EntryPanel({ id }: { readonly id: string }) {
  const { data, error } = useLive(`request ${id}`, [], async (signal) => {
    const { request } = await emulator<{ request: Entry }>(`/requests/${encodeURIComponent(id)}`, {
      signal,
    });
    return request;
  });
  return (
    <Panel
      title={`Request ${id}`}
      aside={
        <button type="button" class="quiet" onClick={() => setQuery({ id: undefined })}>
          Close
        </button>
      }
    >
      {data ? <Whole entry={data} /> : <Pending error={error} />}
    </Panel>
  );
}

function Whole({ entry }: { readonly entry: Entry }) {
  const { method, prefix, path, query, user_name: user, project_name: project } = entry;
  const refusal = refusalOf(entry);
  return (
    <div class="entry">
      <p class="request-line">
        <strong>{method}</strong> <code>{`${prefix}${path}${query && `?${query}`}`}</code>
      </p>
      <div class="row">
        <CopyButton text={curlOfEntry(entry)} label="Copy as curl" />
        <ActionButton action={() => failNext(entry)}>Fail the next one like this</ActionButton>
        <a href={hrefOf('why', { id: entry.request_id })}>Why?</a>
      </div>
      {refusal !== undefined && <p class="failed">{refusal}</p>}
      <dl class="facts">
        <Fact name="Status">
          <HttpStatus status={entry.status} />
        </Fact>
        <Fact name="Operation">{`${entry.service ?? 'none'} ${operationOf(entry)}`}</Fact>
        <Fact name="Version">
          {entry.version ?? '–'}
          {entry.version_asked !== null && entry.version_asked !== entry.version
            ? ` (asked for ${entry.version_asked})`
            : ''}
        </Fact>
        <Fact name="User">{user ? `${user} in ${project ?? 'no project'}` : '–'}</Fact>
        <Fact name="Time">
          {entry.time.slice(0, 10)} {clockTime(entry.time)} UTC
        </Fact>
        <Fact name="Duration">{`${entry.duration_ms.toFixed(1)} ms`}</Fact>
        <Fact name="Client">{entry.user_agent ?? '–'}</Fact>
        <Fact name="Request id">
          <code>{entry.request_id}</code>
        </Fact>
        {entry.fault_rules.length > 0 && (
          <Fact name="Fault rules">{entry.fault_rules.join(', ')}</Fact>
        )}
      </dl>
      <Body title="Request body" body={entry.request_body} />
      <Body title="Response body" body={entry.response_body} />
    </div>
  );
}

const Fact = ({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ComponentChildren;
}) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

const Body = ({ title, body }: { readonly title: string; readonly body: unknown }) =>
  body === null || body === undefined ? null : (
    <>
      <h3>{title}</h3>
      <pre tabIndex={0}>{typeof body === 'string' ? body : JSON.stringify(body, null, 2)}</pre>
    </>
  );
