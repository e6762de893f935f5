// Asks for the control token of the emulator, and keeps it in memory.
import { useState } from 'preact/hooks';
import { asksForToken, controlToken, emulator } from '../core/http.ts';

export function TokenForm() {
  const [text, setText] = useState('');
  const [isWrong, setWrong] = useState(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      await emulator('/info', { headers: { 'x-control-token': text } });
    } catch {
      setWrong(true);
      return;
    }
    asksForToken.set(false);
    controlToken.set(text);
  };
  return (
    <form class="token" onSubmit={(event) => void submit(event)}>
      <h1>Control token</h1>
      <p>
        This emulator was started with <code>--control-token</code>. Enter that token to see the
        cloud. The page forgets it when it is closed.
      </p>
      <label class="field wide">
        <span>Token</span>
        <input
          type="password"
          autocomplete="off"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      {isWrong && (
        <p class="failed" role="alert">
          This is not the token of the emulator.
        </p>
      )}
      <button type="submit" class="primary">
        Open
      </button>
    </form>
  );
}
