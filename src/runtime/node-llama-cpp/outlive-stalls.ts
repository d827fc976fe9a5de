/**
 * node-llama-cpp disposes of its engine when the process is about to exit. If waits fail in that moment, the process may
 * go on: whoever catches a `StalledError` still has a model.
 */
import { isStalling } from '../chat/on-stall.ts';

/** node-llama-cpp's engine, of which this needs nothing else. */
interface Disposed {
  dispose(): Promise<void>;
}

/** Lets the engine outlive failed waits; it is disposed of when the process is about to exit once more. */
export function outliveStalls(llama: Disposed): void {
  if (Object.hasOwn(llama, Symbol.asyncDispose)) return;
  const dispose = async (): Promise<void> => {
    if (!isStalling()) return llama.dispose();
    process.once('beforeExit', () => void dispose());
    // There is another such event only after something else.
    setImmediate(() => undefined);
  };
  Object.defineProperty(llama, Symbol.asyncDispose, { value: dispose });
}
