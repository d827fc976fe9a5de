/** Asks for the server's key; it is kept for as long as the tab is open. */
import { useState } from 'preact/hooks';

/** The field. */
export function KeyField({
  wasWrong,
  onKey,
}: {
  readonly wasWrong: boolean;
  readonly onKey: (key: string) => void;
}) {
  const [text, setText] = useState('');
  return (
    <form
      class="key panel"
      onSubmit={(event) => {
        event.preventDefault();
        onKey(text);
      }}
    >
      <label>
        <span>{wasWrong ? 'The server refuses this key; another one' : 'The server asks for a key'}</span>
        <input
          type="password"
          autocomplete="off"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <button type="submit" disabled={text === ''}>
        Use it
      </button>
    </form>
  );
}
