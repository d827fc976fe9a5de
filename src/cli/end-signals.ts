/** What ends a command that runs until it is told to end. */

/** Windows knows no SIGTERM: Ctrl-Break is SIGBREAK there, and a console that is closed SIGHUP. */
export function endSignals(platform: NodeJS.Platform = process.platform): readonly NodeJS.Signals[] {
  return platform === 'win32' ? ['SIGINT', 'SIGBREAK', 'SIGHUP'] : ['SIGINT', 'SIGTERM'];
}

/** Resolves at the first of them. */
export async function untilEnded(
  signals: readonly NodeJS.Signals[] = endSignals(),
  told: NodeJS.EventEmitter = process,
): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = (): void => {
      for (const signal of signals) told.off(signal, end);
      resolve();
    };
    for (const signal of signals) told.on(signal, end);
  });
}
