/** The field in which one writes. */
import { useState } from 'preact/hooks';
import type { Chat } from './use-chat.ts';

/** Enter sends, Shift and Enter begin a line, Escape stops the model. */
export function Composer({ chat, isReady }: { readonly chat: Chat; readonly isReady: boolean }) {
  const [text, setText] = useState('');
  const canSend = isReady && !chat.isBusy && text.trim() !== '';
  const send = (): void => {
    if (!canSend) return;
    chat.say(text);
    setText('');
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        rows={2}
        aria-label="Message"
        placeholder="Message"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') chat.stop();
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      {chat.isBusy ? (
        <button type="button" onClick={chat.stop}>
          Stop
        </button>
      ) : (
        <button type="submit" class="primary" disabled={!canSend}>
          Send
        </button>
      )}
    </form>
  );
}
