/** The analysis of the template at hand, and what is written in its format. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { defaultLimits } from '../../../src/template/values/runtime.ts';
import type { Conversation, Inspection, TemplateInput } from '../core/inspect-template.ts';
import { RequestError, type WorkerClient } from '../core/worker-client.ts';
import type { WrittenConversation } from '../core/written-message.ts';
import type { ErrorPlace } from './error-mark.ts';

/** What is known of a template by now. */
export interface InspectionState {
  readonly input: TemplateInput;
  readonly inspection: Inspection | null;
  /** Why there is no inspection. */
  readonly problem: string | null;
  /** Where the template is wrong, if that is known. */
  readonly place: ErrorPlace | null;
  readonly busy: boolean;
}

/** Typing is over when nothing came for this long, in milliseconds. */
const pause = 250;

/** Why a template is refused without being looked at; `null` where it is not. */
export function refusalOf({ templateSource }: TemplateInput): string | null {
  const [most, length] = [defaultLimits.source, templateSource.length].map((each) =>
    each.toLocaleString('en'),
  );
  if (templateSource.length <= defaultLimits.source) return null;
  return `a template has at most ${most} characters, this one has ${length}`;
}

/** Analyses a template once typing rests. What came of an earlier template stays until then. */
export function useInspection(input: TemplateInput | null, client: WorkerClient): InspectionState {
  const none = { name: '', templateSource: '' };
  const [state, setState] = useState<InspectionState>({
    input: input ?? none,
    inspection: null,
    problem: null,
    place: null,
    busy: true,
  });
  const asked = useRef<string | null>(null);
  useEffect(() => {
    if (input === null) return;
    const isTyping = asked.current === input.name;
    asked.current = input.name;
    const problem = refusalOf(input);
    if (problem !== null) {
      client.restartIfBusy();
      setState({ input, inspection: null, problem, place: null, busy: false });
      return;
    }
    setState((last) => ({ ...last, busy: true }));
    const timer = setTimeout(
      () => {
        client.restartIfBusy();
        client.ask('inspect', input).then(
          (inspection) => {
            if (inspection !== null) setState({ input, inspection, problem: null, place: null, busy: false });
          },
          (error: unknown) =>
            setState({
              input,
              inspection: null,
              problem: explain(error),
              place: placeOf(error),
              busy: false,
            }),
        );
      },
      isTyping ? pause : 0,
    );
    return () => clearTimeout(timer);
  }, [input, client]);
  return state;
}

/** The conversation as the template and the model write it. */
export function useWritten(
  { input, inspection }: InspectionState,
  conversation: Conversation | null,
  client: WorkerClient,
): { readonly written: WrittenConversation | null; readonly problem: string | null } {
  const [written, setWritten] = useState<WrittenConversation | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    if (inspection === null || conversation === null) return;
    const { format } = inspection.analysis;
    client.ask('write', { input, format, conversation }).then(
      (answer) => {
        if (answer === null) return;
        setWritten(answer);
        setProblem(null);
      },
      (error: unknown) => setProblem(explain(error)),
    );
  }, [inspection, conversation, client]);
  return { written, problem };
}

/** The place in the template that an error names. */
function placeOf(error: unknown): ErrorPlace | null {
  if (!(error instanceof RequestError) || error.failure.line === undefined) return null;
  const { line, column, message: reason } = error.failure;
  return { line, reason, ...(column === undefined ? {} : { column }) };
}

/** An error for people: what it is, and where. */
export function explain(error: unknown): string {
  if (error instanceof RequestError) {
    const { name, message } = error.failure;
    // Our own errors say what they are, and where; any other is a defect.
    return /^(?:Type|Range|Reference|Syntax)?Error$/.test(name) ? `${name}: ${message}` : message;
  }
  return error instanceof Error ? error.message : String(error);
}
