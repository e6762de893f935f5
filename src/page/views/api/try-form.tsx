// Sends an operation as an administrator, and shows the reply.
import { useState } from 'preact/hooks';
import { curlOf, curlOfService } from '../../core/actions.ts';
import { useRegion } from '../../core/cloud.ts';
import { sendTried, type Tried } from '../../core/session.ts';
import { Command } from '../../parts/command.tsx';
import { HttpStatus } from '../../parts/status.tsx';
import { exampleOf, type OperationProps } from './model.ts';

export function TryForm({ operation, service, version, prefix }: OperationProps) {
  const { method, path, body } = operation;
  const region = useRegion();
  const isEmulator = service === 'emulator';
  const [target, setTarget] = useState(`${isEmulator ? '' : region.prefix}${prefix}${path}`);
  const [text, setText] = useState(body ? JSON.stringify(exampleOf(body), undefined, 2) : '');
  const [reply, setReply] = useState<Tried>();
  const [problem, setProblem] = useState<string>();
  const [command, setCommand] = useState('');
  const commandFor = (sent: unknown): string =>
    isEmulator
      ? curlOf(method, target.replace('/_emulator', ''), sent)
      : curlOfService(method, target, sent, `${service} ${version}`);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const missing = /\{(\w+)\}/.exec(target)?.[1];
    if (missing !== undefined) return setProblem(`Replace {${missing}} in the path by a value.`);
    let sent: unknown;
    try {
      sent = body && text.trim() ? JSON.parse(text) : undefined;
    } catch (error) {
      return setProblem(`The body is not JSON: ${(error as Error).message}`);
    }
    setProblem(undefined);
    try {
      const negotiated = isEmulator ? undefined : `${service} ${version}`;
      setReply(await sendTried(method, target, sent, negotiated));
      setCommand(commandFor(sent));
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <form class="try" onSubmit={(event) => void submit(event)}>
      <h3>Try it as the administrator</h3>
      <label class="field wide">
        <span>{method}</span>
        <input
          type="text"
          value={target}
          spellcheck={false}
          onInput={(event) => setTarget(event.currentTarget.value)}
        />
      </label>
      {body && (
        <label>
          <span class="hidden">Body</span>
          <textarea
            rows={Math.min(12, text.split('\n').length + 1)}
            spellcheck={false}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
      )}
      <button type="submit" class="primary">
        Send
      </button>
      <div role="status">
        {problem !== undefined && <p class="failed">{problem}</p>}
        {reply && problem === undefined && (
          <>
            <p>
              <HttpStatus status={reply.status} />
            </p>
            {reply.text && <pre tabIndex={0}>{reply.text}</pre>}
            <Command text={command} />
          </>
        )}
      </div>
    </form>
  );
}
