/** One message as the model writes it, and the prompt before it. */
import { json } from '@codemirror/lang-json';
import { useState } from 'preact/hooks';
import type { Conversation } from '../core/inspect-template.ts';
import type { WrittenConversation } from '../core/written-message.ts';
import { Editor } from './editor.tsx';
import { scrolling } from './scrolling.ts';
import { Legend, Spans } from './spans.tsx';

/** What is shown, and who is told of changes. */
export interface MessagePanelProps {
  readonly conversation: Conversation;
  readonly written: WrittenConversation | null;
  readonly turnStart: string;
  readonly problem: string | null;
  readonly onConversation: (conversation: Conversation) => void;
}

/** The message, its prompt, and the conversation as JSON. */
export function MessagePanel({
  conversation,
  written,
  turnStart,
  problem,
  onConversation,
}: MessagePanelProps) {
  // The text as it is typed; the panel is made anew for another template.
  const [text, setText] = useState(() => JSON.stringify(conversation, null, 2));
  const [broken, setBroken] = useState<string | null>(null);
  const change = (typed: string) => {
    setText(typed);
    try {
      const { messages, tools, answer }: Partial<Conversation> = JSON.parse(typed);
      if (!Array.isArray(messages) || !Array.isArray(tools) || answer === undefined) {
        setBroken('a conversation has messages, tools and an answer');
        return;
      }
      setBroken(null);
      onConversation({ messages, tools, answer });
    } catch (error) {
      setBroken(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <>
      <Legend />
      {problem === null ? null : <p class="problem">{problem}</p>}
      <pre class="written" {...scrolling('The message as the model writes it')}>
        {written === null ? null : (
          <>
            <span class="other">{turnStart}</span>
            <Spans spans={written.answer} />
          </>
        )}
      </pre>
      <details>
        <summary>The prompt before it</summary>
        <pre class="written" {...scrolling('The prompt')}>
          {written?.prompt.map(({ text, origin }, index) => (
            <span key={`${index}`} class={`from ${origin}`} title={origin}>
              {text}
            </span>
          ))}
          <span class="generation" title="generation prompt">
            {written?.generationPrompt}
          </span>
        </pre>
        <ul class="legend" aria-label="What the styles of the prompt mean">
          {[...new Set(written?.prompt.map(({ origin }) => origin))].map((origin) => (
            <li key={origin}>
              <span class={`from ${origin}`}>
                {origin === 'template' ? 'the template’s own text' : origin}
              </span>
            </li>
          ))}
          <li>
            <span class="generation">generation prompt</span>
          </li>
        </ul>
      </details>
      <details>
        <summary>Change the conversation and the tools</summary>
        {broken === null ? null : <p class="problem">{broken}</p>}
        <Editor
          label="Conversation and tools, as JSON"
          value={text}
          onChange={change}
          extensions={[json()]}
        />
      </details>
    </>
  );
}
